// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/status.h"

// A short-lived token of a service account (TokenRequest, authentication.k8s.io/v1). Source:
// kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1. Pure and
// thread-safe; no message quotes a token.

namespace aliquot::api {

// The API server grants no shorter life.
inline constexpr std::chrono::seconds kShortestTokenLife{600};

std::string FormatTokenRequest(std::string_view audience, std::chrono::seconds life);
// The token.
Result<std::string> ParseTokenRequest(std::string_view json);

}  // namespace aliquot::api
