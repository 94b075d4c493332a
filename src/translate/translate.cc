// SPDX-License-Identifier: Apache-2.0
#include "translate/translate.h"

#include "admission/pod_review.h"
#include "translate/pod_edit.h"
#include "translate/schemes.h"

namespace aliquot::translate {

Result<Translation> TranslatePod(const nlohmann::json& pod, Scheme scheme,
                                 const TranslateOptions& options) {
  PodEdit edit(pod, options);
  Status status = scheme == Scheme::kHami     ? TranslateHami(edit)
                  : scheme == Scheme::kNvidia ? TranslateNvidia(edit)
                                              : TranslateKai(edit);
  if (!status.ok()) {
    return status;
  }
  return edit.Finish();
}

}  // namespace aliquot::translate
