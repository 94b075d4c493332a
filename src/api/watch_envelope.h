// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/watch_codec.h"
#include "base/status.h"

namespace aliquot::api {

// What all watch events have around their object; for codecs of an object's own kind.
struct WatchEnvelope {
  WatchEventType type = WatchEventType::kAdded;
  JsonField object;                 // kAdded, kModified, kDeleted; lives as long as the document
  std::string resource_version;     // of the object or the bookmark
  bool initial_events_end = false;  // as in WatchEvent
  ApiStatus error;                  // kError only
};
inline constexpr std::string_view kWatchEventSubject = "the watch event";

// Pre: `document` is fresh.
Result<WatchEnvelope> ReadWatchEnvelope(JsonDocument& document, std::string_view json);

// `decode` is called with the object and gives a Result<T>. Rules as in watch_codec.h.
template <typename T, typename Decode>
Result<WatchEvent<T>> ReadWatchEvent(std::string_view json, Decode decode) {
  JsonDocument document;
  Result<WatchEnvelope> envelope = ReadWatchEnvelope(document, json);
  if (!envelope.ok()) {
    return envelope.status();
  }
  WatchEvent<T> event;
  event.type = envelope->type;
  event.resource_version = std::move(envelope->resource_version);
  event.initial_events_end = envelope->initial_events_end;
  event.error = std::move(envelope->error);
  if (envelope->object) {
    Result<T> decoded = decode(*envelope->object);
    if (!decoded.ok()) {
      return decoded.status().WithContext(kWatchEventSubject);
    }
    event.object = *std::move(decoded);
  }
  return event;
}

}  // namespace aliquot::api
