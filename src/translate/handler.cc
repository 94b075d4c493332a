// SPDX-License-Identifier: Apache-2.0
#include "translate/handler.h"

#include <utility>

#include "admission/pod_review.h"

namespace aliquot::translate {
namespace {

Result<api::ReviewResponse> Answer(const api::ReviewRequest& request, Scheme scheme,
                                   const TranslateOptions& options) {
  api::ReviewResponse response;
  if (!admission::IsPodCreation(request)) {
    return response;
  }
  if (Status status = admission::CheckPodShape(request.object); !status.ok()) {
    return status;
  }
  Result<Translation> translation = TranslatePod(request.object, scheme, options);
  if (!translation.ok()) {
    response.allowed = false;
    response.code = 422;
    response.reason = "Invalid";
    response.message = translation.status().message();
    return response;
  }
  response.patch = std::move(translation->patch);
  response.warnings = std::move(translation->notes);
  return response;
}

}  // namespace

admission::ReviewReply HandleTranslate(std::string_view body, Scheme scheme,
                                       const TranslateOptions& options) {
  return admission::HandleReview(
      body, [&](const api::ReviewRequest& request) { return Answer(request, scheme, options); });
}

}  // namespace aliquot::translate
