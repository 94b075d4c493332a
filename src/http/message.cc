// SPDX-License-Identifier: Apache-2.0
#include "http/message.h"

#include "http/header_text.h"

namespace aliquot::http {

std::optional<std::string_view> Request::Parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> Request::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (EqualsIgnoringCase(key, name)) return value;
  }
  return std::nullopt;
}

Response JsonResponse(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

Response TextResponse(int status, std::string_view sentence) {
  Response response;
  response.status = status;
  response.content_type = kTextContentType;
  response.body.assign(sentence);
  response.body.push_back('\n');
  return response;
}

}  // namespace aliquot::http
