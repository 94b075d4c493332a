// SPDX-License-Identifier: Apache-2.0
#include "api/watch_codec.h"

#include <optional>
#include <utility>

#include "api/disruption_budget_codec.h"
#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/node_codec.h"
#include "api/pod_codec.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

constexpr std::string_view kSubject = "the watch event";
constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";

std::optional<WatchEventType> TypeOf(std::string_view text) {
  if (text == "ADDED") {
    return WatchEventType::kAdded;
  }
  if (text == "MODIFIED") {
    return WatchEventType::kModified;
  }
  if (text == "DELETED") {
    return WatchEventType::kDeleted;
  }
  if (text == "BOOKMARK") {
    return WatchEventType::kBookmark;
  }
  if (text == "ERROR") {
    return WatchEventType::kError;
  }
  return std::nullopt;
}

template <typename T>
void ReadBookmark(JsonReader& reader, const JsonElement& object, const JsonPath& path,
                  WatchEvent<T>& event) {
  const JsonPath metadata_at = path.Field("metadata");
  const JsonPath annotations_at = metadata_at.Field("annotations");
  const auto [metadata] = reader.Object<1>(object, path, {"metadata"});
  const auto [version, annotations] =
      reader.Object<2>(metadata, metadata_at, {"resourceVersion", "annotations"});
  reader.Text(version, metadata_at.Field("resourceVersion"), event.resource_version);
  const auto [end] = reader.Object<1>(annotations, annotations_at, {kInitialEventsEnd});
  std::string_view text;
  reader.View(end, annotations_at.Field(kInitialEventsEnd), text);
  event.initial_events_end = text == "true";
}

template <typename T, typename Decode>
Result<WatchEvent<T>> ParseEvent(std::string_view json, Decode decode) {
  JsonDocument document;
  const auto root = document.Parse(json, kMaxApiServerDepth);
  if (!root.ok()) {
    return InvalidArgument(std::string(kSubject) + " " + root.status().message());
  }
  JsonReader reader(kSubject);
  const JsonPath here;
  const auto [type_field, object] = reader.Object<2>(*root, here, {"type", "object"});
  std::string_view type_text;
  reader.View(type_field, here.Field("type"), type_text);
  const auto type = TypeOf(type_text);
  if (!type) {
    reader.Refuse(here.Field("type"),
                  "is \"" + Printable(type_text) + "\"; expected an event of the API server");
  }
  if (!object) {
    reader.Refuse(here.Field("object"), "is missing; expected an event of the API server");
  }
  if (!reader.ok()) {
    return reader.status();
  }
  WatchEvent<T> event;
  event.type = *type;
  if (event.type == WatchEventType::kBookmark) {
    ReadBookmark(reader, *object, here.Field("object"), event);
  } else if (event.type == WatchEventType::kError) {
    Result<ApiStatus> status = DecodeApiStatus(*object);
    if (!status.ok()) {
      return status.status().WithContext(kSubject);
    }
    event.error = *std::move(status);
  } else {
    Result<T> decoded = decode(*object);
    if (!decoded.ok()) {
      return decoded.status().WithContext(kSubject);
    }
    event.object = *std::move(decoded);
    event.resource_version = event.object.resource_version;
  }
  if (!reader.ok()) {
    return reader.status();
  }
  return event;
}

}  // namespace

Result<WatchEvent<model::Pod>> ParsePodWatchEvent(std::string_view json,
                                                  const model::ResourceNames& names) {
  return ParseEvent<model::Pod>(json,
                                [&](const JsonElement& value) { return DecodePod(value, names); });
}

Result<WatchEvent<model::Node>> ParseNodeWatchEvent(std::string_view json) {
  return ParseEvent<model::Node>(json, [](const JsonElement& value) { return DecodeNode(value); });
}

Result<WatchEvent<model::DisruptionBudget>> ParseDisruptionBudgetWatchEvent(std::string_view json) {
  return ParseEvent<model::DisruptionBudget>(
      json, [](const JsonElement& value) { return DecodeDisruptionBudget(value); });
}

}  // namespace aliquot::api
