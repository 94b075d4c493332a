// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::api {

// An AdmissionReview request, admission.k8s.io/v1.
// Source: kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers.
struct ReviewRequest {
  std::string uid;
  std::string group;  // of the object's kind
  std::string version;
  std::string kind;
  std::string resource;
  std::string subresource;
  std::string name;  // empty for generateName
  std::string namespace_name;
  std::string operation;  // CREATE, UPDATE, DELETE, CONNECT
  std::string username;
  bool dry_run = false;
  nlohmann::json object;  // null for DELETE
};

// The answer. `patch` is an RFC 6902 array, null or empty = no change; read only when allowed.
struct ReviewResponse {
  bool allowed = true;
  int code = 0;        // when refused: 403 or 422
  std::string reason;  // when refused: "Forbidden" or "Invalid"
  std::string message;
  nlohmann::json patch;
  std::vector<std::string> warnings;
};

inline constexpr std::string_view kAdmissionApiVersion = "admission.k8s.io/v1";
inline constexpr std::size_t kMaxWarningBytes = 256;
// JSON values in one review. The API server takes objects of up to 3 MiB; the shortest values that
// a pod can be filled with are some 6 bytes each. As a tree each may take 100 bytes and more.
inline constexpr std::size_t kMaxReviewValues = 500'000;

// Thread-safe. Refused with one sentence: not JSON, invalid UTF-8, nested deeper than 64,
// more than kMaxReviewValues values, not an AdmissionReview of version v1, a known field of the
// wrong type, no request UID.
Result<ReviewRequest> ParseAdmissionReview(std::string_view body);

// The reply to the review with that UID. Each warning is one line of at most 256 bytes.
std::string FormatAdmissionReview(std::string_view uid, const ReviewResponse& response);

}  // namespace aliquot::api
