// SPDX-License-Identifier: Apache-2.0
#include "admission/handlers.h"

#include <utility>

namespace aliquot::admission {
namespace {

ReviewReply Unreadable(const Status& status, std::string pod) {
  ReviewReply reply;
  reply.status = status.code() == StatusCode::kInternal ? 500 : 400;
  reply.body = status.message();
  reply.outcome = ReviewOutcome::kUnreadable;
  reply.pod = std::move(pod);
  reply.reason = status.message();
  return reply;
}

}  // namespace

std::string_view ReviewOutcomeName(ReviewOutcome outcome) {
  switch (outcome) {
    case ReviewOutcome::kUnchanged:
      return "unchanged";
    case ReviewOutcome::kPatched:
      return "patched";
    case ReviewOutcome::kRefused:
      return "refused";
    case ReviewOutcome::kUnreadable:
      break;
  }
  return "unreadable";
}

ReviewReply HandleReview(std::string_view body, const Decide& decide) {
  const Result<api::ReviewRequest> request = api::ParseAdmissionReview(body);
  if (!request.ok()) {
    return Unreadable(request.status(), {});
  }
  std::string pod = request->namespace_name + "/" + request->name;
  const Result<api::ReviewResponse> response = decide(*request);
  if (!response.ok()) {
    return Unreadable(response.status(), std::move(pod));
  }
  ReviewReply reply;
  reply.body = api::FormatAdmissionReview(request->uid, *response);
  reply.pod = std::move(pod);
  if (!response->allowed) {
    reply.outcome = ReviewOutcome::kRefused;
    reply.reason = response->message;
  } else if (!response->patch.empty()) {
    reply.outcome = ReviewOutcome::kPatched;
  }
  return reply;
}

ReviewReply HandleMutate(std::string_view body, const MutateOptions& options) {
  return HandleReview(
      body, [&](const api::ReviewRequest& request) { return MutatePod(request, options); });
}

ReviewReply HandleStamp(std::string_view body, const StampOptions& options, StampLedger& ledger) {
  return HandleReview(body, [&](const api::ReviewRequest& request) {
    return StampBinding(request, options, ledger);
  });
}

}  // namespace aliquot::admission
