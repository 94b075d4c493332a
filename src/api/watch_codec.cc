// SPDX-License-Identifier: Apache-2.0
#include "api/watch_codec.h"

#include <optional>
#include <utility>

#include "api/disruption_budget_codec.h"
#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/node_codec.h"
#include "api/pod_codec.h"
#include "api/watch_envelope.h"
#include "base/strings.h"

namespace aliquot::api {
namespace {

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

// Of the object that an event carries: every kind has its version at the same place.
void ReadVersion(JsonReader& reader, const JsonElement& object, const JsonPath& path,
                 WatchEnvelope& envelope) {
  const JsonPath metadata_at = path.Field("metadata");
  const auto [metadata] = reader.Object<1>(object, path, {"metadata"});
  const auto [version] = reader.Object<1>(metadata, metadata_at, {"resourceVersion"});
  reader.Text(version, metadata_at.Field("resourceVersion"), envelope.resource_version);
}

void ReadBookmark(JsonReader& reader, const JsonElement& object, const JsonPath& path,
                  WatchEnvelope& envelope) {
  const JsonPath metadata_at = path.Field("metadata");
  const JsonPath annotations_at = metadata_at.Field("annotations");
  const auto [metadata] = reader.Object<1>(object, path, {"metadata"});
  const auto [annotations] = reader.Object<1>(metadata, metadata_at, {"annotations"});
  const auto [end] = reader.Object<1>(annotations, annotations_at, {kInitialEventsEnd});
  std::string_view text;
  reader.View(end, annotations_at.Field(kInitialEventsEnd), text);
  envelope.initial_events_end = text == "true";
}

}  // namespace

Result<WatchEnvelope> ReadWatchEnvelope(JsonDocument& document, std::string_view json) {
  const auto root = document.Parse(json, kMaxApiServerDepth);
  if (!root.ok()) {
    return InvalidArgument(std::string(kWatchEventSubject) + " " + root.status().message());
  }
  JsonReader reader(kWatchEventSubject);
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
  WatchEnvelope envelope;
  envelope.type = *type;
  const JsonPath object_at = here.Field("object");
  if (envelope.type == WatchEventType::kError) {
    Result<ApiStatus> status = DecodeApiStatus(*object);
    if (!status.ok()) {
      return status.status().WithContext(kWatchEventSubject);
    }
    envelope.error = *std::move(status);
    return envelope;
  }
  if (envelope.type == WatchEventType::kBookmark) {
    ReadBookmark(reader, *object, object_at, envelope);
  } else {
    envelope.object = *object;
  }
  ReadVersion(reader, *object, object_at, envelope);
  if (!reader.ok()) {
    return reader.status();
  }
  return envelope;
}

Result<WatchEvent<model::Pod>> ParsePodWatchEvent(std::string_view json,
                                                  const model::ResourceNames& names) {
  return ReadWatchEvent<model::Pod>(
      json, [&](const JsonElement& value) { return DecodePod(value, names); });
}

Result<WatchEvent<model::Node>> ParseNodeWatchEvent(std::string_view json) {
  return ReadWatchEvent<model::Node>(json,
                                     [](const JsonElement& value) { return DecodeNode(value); });
}

Result<WatchEvent<model::DisruptionBudget>> ParseDisruptionBudgetWatchEvent(std::string_view json) {
  return ReadWatchEvent<model::DisruptionBudget>(
      json, [](const JsonElement& value) { return DecodeDisruptionBudget(value); });
}

}  // namespace aliquot::api
