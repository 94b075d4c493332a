// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/write_outcome.h"

#include <string>

#include "api/status_codec.h"
#include "base/strings.h"

namespace aliquot::kubeclient {

namespace {

using model::WriteOutcome;
using model::WriteReply;

// The server's words for a UID precondition that failed, from its storage layer and from its patch
// handler. Should they change, the outcome is kConflict: nothing was written either way.
bool IsOtherUid(std::string_view message) {
  return message.find("UID in precondition") != std::string_view::npos ||
         message.find("UID in the precondition") != std::string_view::npos;
}

WriteOutcome OutcomeOf(int status, std::string_view message) {
  if (status >= 200 && status < 300) return WriteOutcome::kDone;
  if (status == 404) return WriteOutcome::kNotFound;
  if (status == 409) return IsOtherUid(message) ? WriteOutcome::kNotFound : WriteOutcome::kConflict;
  if (status >= 300 && status < 500) return WriteOutcome::kRefused;
  return WriteOutcome::kUnknown;  // a 5xx may come after the write, as a time-out in the server
                                  // does
}

}  // namespace

WriteReply WriteReplyOf(const CallResult& result) {
  if (result.outcome == CallResult::Outcome::kNotSent) {
    return {WriteOutcome::kRefused, "the API server cannot be reached: " + result.message};
  }
  if (result.outcome == CallResult::Outcome::kUnknown) {
    return {WriteOutcome::kUnknown, "no word from the API server: " + result.message};
  }
  const int status = result.reply.status;
  if (status >= 200 && status < 300) return {WriteOutcome::kDone, ""};
  const Result<api::ApiStatus> details = api::ParseApiStatus(result.reply.body);
  const std::string message = details.ok() ? details->message : "";
  std::string sentence = "the API server answered " + std::to_string(status);
  if (!message.empty()) sentence += ": " + Printable(message, 400);
  return {OutcomeOf(status, message), sentence};
}

}  // namespace aliquot::kubeclient
