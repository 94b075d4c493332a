// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "admission/mutate.h"
#include "admission/stamp.h"

namespace aliquot::admission {

// What became of a review, for metrics and the log.
enum class ReviewOutcome { kUnchanged, kPatched, kRefused, kUnreadable };
// "unchanged", "patched", "refused", "unreadable".
std::string_view ReviewOutcomeName(ReviewOutcome outcome);

// The answer to one POST, free of any HTTP library.
struct ReviewReply {
  int status = 200;  // 400 for a body that is no review; 500 for a fault of ours
  std::string body;  // an AdmissionReview with 200, otherwise one sentence as plain text
  ReviewOutcome outcome = ReviewOutcome::kUnchanged;
  std::string pod;     // "namespace/name" where known; the name is empty for generateName
  std::string reason;  // the sentence of a refusal or of a body that could not be read
};

// Reads the review, lets `decide` answer it, writes the answer: what every webhook of ours does. An
// error of `decide` is for a body that is no such review.
using Decide = std::function<Result<api::ReviewResponse>(const api::ReviewRequest&)>;
ReviewReply HandleReview(std::string_view body, const Decide& decide);

// POST /admission/mutate and POST /admission/stamp. Thread-safe; nothing escapes as an exception.
ReviewReply HandleMutate(std::string_view body, const MutateOptions& options);
ReviewReply HandleStamp(std::string_view body, const StampOptions& options, StampLedger& ledger);

}  // namespace aliquot::admission
