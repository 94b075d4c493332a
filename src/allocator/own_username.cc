// SPDX-License-Identifier: Apache-2.0
#include "allocator/own_username.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/strings.h"
#include "kubeclient/base64.h"

namespace aliquot::allocator {

std::string SubjectOfToken(std::string_view token) {
  const auto parts = Split(Trim(token), '.');
  if (parts.size() != 3) {
    return {};
  }
  // base64url without padding (RFC 7515, 2) to base64 with it.
  std::string payload(parts[1]);
  std::replace(payload.begin(), payload.end(), '-', '+');
  std::replace(payload.begin(), payload.end(), '_', '/');
  payload.append((4 - payload.size() % 4) % 4, '=');
  const auto text = kubeclient::DecodeBase64(payload);
  if (!text) {
    return {};
  }
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const auto subject = json.is_object() ? json.find("sub") : json.end();
  return subject != json.end() && subject->is_string() ? subject->get<std::string>() : "";
}

std::string OwnUsername(const kubeclient::ClientConfig& config) {
  if (!config.token.data.empty() || config.token.file.empty()) {
    return SubjectOfToken(config.token.data);
  }
  std::ifstream file(config.token.file);
  std::ostringstream token;
  token << file.rdbuf();
  return SubjectOfToken(token.str());
}

}  // namespace aliquot::allocator
