// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace simdjson::dom {
class element;
}

namespace aliquot::api {

// A metav1.Status: the body of every error reply of the API server and of a watch's ERROR event.
// Source: k8s.io/apimachinery/pkg/apis/meta/v1.
struct ApiStatusCause {
  std::string reason;
  std::string message;
  std::string field;
};

struct ApiStatus {
  int code = 0;        // HTTP status; 0 when the body has none
  std::string reason;  // "Conflict", "NotFound", "Expired", ...
  std::string message;
  std::int64_t retry_after_seconds = 0;
  std::vector<ApiStatusCause> causes;
  // metadata.continue: the token with which an expired paged list may go on (inconsistently).
  std::string continue_token;

  bool HasCause(std::string_view cause_reason) const;
};

// Pure and thread-safe; rules as in pod_codec.h.
Result<ApiStatus> ParseApiStatus(std::string_view json);
Result<ApiStatus> DecodeApiStatus(const simdjson::dom::element& value);

}  // namespace aliquot::api
