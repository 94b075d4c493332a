// SPDX-License-Identifier: Apache-2.0
#include "api/status_codec.h"

#include <algorithm>

#include "api/json_document.h"
#include "api/json_reader.h"

namespace aliquot::api {

bool ApiStatus::HasCause(std::string_view cause_reason) const {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const ApiStatusCause& cause) { return cause.reason == cause_reason; });
}

Result<ApiStatus> DecodeApiStatus(const JsonElement& value) {
  JsonReader reader("the API server's status");
  const JsonPath root;
  ApiStatus status;
  const auto [metadata, code, reason, message, details] =
      reader.Object<5>(value, root, {"metadata", "code", "reason", "message", "details"});
  std::int64_t number = 0;
  reader.Integer(code, root.Field("code"), 0, 999, number);
  status.code = static_cast<int>(number);
  reader.Text(reason, root.Field("reason"), status.reason);
  reader.Text(message, root.Field("message"), status.message);
  const JsonPath metadata_at = root.Field("metadata");
  const auto [token] = reader.Object<1>(metadata, metadata_at, {"continue"});
  reader.Text(token, metadata_at.Field("continue"), status.continue_token);
  const JsonPath details_at = root.Field("details");
  const auto [retry, causes] =
      reader.Object<2>(details, details_at, {"retryAfterSeconds", "causes"});
  reader.Integer(retry, details_at.Field("retryAfterSeconds"), 0, INT32_MAX,
                 status.retry_after_seconds);
  reader.ForEachItem(
      causes, details_at.Field("causes"), [&](const JsonElement& item, const JsonPath& at) {
        const auto fields = reader.Object<3>(item, at, {"reason", "message", "field"});
        ApiStatusCause& cause = status.causes.emplace_back();
        reader.Text(fields[0], at.Field("reason"), cause.reason);
        reader.Text(fields[1], at.Field("message"), cause.message);
        reader.Text(fields[2], at.Field("field"), cause.field);
      });
  if (!reader.ok()) {
    return reader.status();
  }
  return status;
}

Result<ApiStatus> ParseApiStatus(std::string_view json) {
  JsonDocument document;
  const auto root = document.Parse(json, kMaxApiServerDepth);
  if (!root.ok()) {
    return InvalidArgument("the API server's status " + root.status().message());
  }
  return DecodeApiStatus(*root);
}

}  // namespace aliquot::api
