// SPDX-License-Identifier: Apache-2.0
#include "api/token_request_codec.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aliquot::api {
namespace {

using Json = nlohmann::json;

}  // namespace

std::string FormatTokenRequest(std::string_view audience, std::chrono::seconds life) {
  const Json request = {{"apiVersion", "authentication.k8s.io/v1"},
                        {"kind", "TokenRequest"},
                        {"spec", {{"audiences", {audience}}, {"expirationSeconds", life.count()}}}};
  return request.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::string> ParseTokenRequest(std::string_view json) {
  const Json request = Json::parse(json, nullptr, false);
  const Json token =
      request.is_object() ? request.value("/status/token"_json_pointer, Json()) : Json();
  std::string text = token.is_string() ? token.get<std::string>() : "";
  const bool good = !text.empty() && std::all_of(text.begin(), text.end(),
                                                 [](char c) { return c > 0x20 && c < 0x7f; });
  if (!good) {
    return InvalidArgument("the API server's answer is no TokenRequest with a token");
  }
  return text;
}

}  // namespace aliquot::api
