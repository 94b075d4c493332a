// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

// Asking the API server who shows a token (TokenReview, authentication.k8s.io/v1) and whether that
// caller may do something (SubjectAccessReview, authorization.k8s.io/v1). Source:
// kubernetes.io/docs/reference/kubernetes-api, authentication and authorization resources. Pure and
// thread-safe; no message quotes a token.

namespace aliquot::api {

struct ReviewedCaller {
  std::string user;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

struct TokenReviewAnswer {
  bool authenticated = false;
  ReviewedCaller caller;
  // For which of the audiences asked about the token is good. None although it is authenticated:
  // for the API server's own.
  std::vector<std::string> audiences;
};

// No audience: the API server's own.
std::string FormatTokenReview(std::string_view token, const std::vector<std::string>& audiences);
Result<TokenReviewAnswer> ParseTokenReview(std::string_view json);

// Get on a path that is no resource of the API ("/metrics").
std::string FormatPathAccessReview(const ReviewedCaller& caller, std::string_view path);
// Whether it is allowed; an explicit denial is not.
Result<bool> ParseAccessReview(std::string_view json);

}  // namespace aliquot::api
