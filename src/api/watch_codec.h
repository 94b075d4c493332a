// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "api/status_codec.h"
#include "base/status.h"
#include "model/disruption_budget.h"
#include "model/names.h"
#include "model/node.h"
#include "model/pod.h"

namespace aliquot::api {

enum class WatchEventType { kAdded, kModified, kDeleted, kBookmark, kError };

// One event of a watch, {"type":..,"object":..}.
// Source: kubernetes.io/docs/reference/using-api/api-concepts, "Efficient detection of changes".
template <typename T>
struct WatchEvent {
  WatchEventType type = WatchEventType::kAdded;
  T object;                         // kAdded, kModified, kDeleted
  std::string resource_version;     // of the object or the bookmark; empty for kError
  bool initial_events_end = false;  // a bookmark annotated k8s.io/initial-events-end
  ApiStatus error;                  // kError only
};

// Thread-safe; rules as in list_codec.h. An unknown event type is refused.
Result<WatchEvent<model::Pod>> ParsePodWatchEvent(std::string_view json,
                                                  const model::ResourceNames& names);
Result<WatchEvent<model::Node>> ParseNodeWatchEvent(std::string_view json);
Result<WatchEvent<model::DisruptionBudget>> ParseDisruptionBudgetWatchEvent(std::string_view json);

}  // namespace aliquot::api
