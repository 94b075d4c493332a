// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod_codec.h"
#include "api/annotation_value.h"
#include "api/list_codec.h"
#include "api/node_codec.h"
#include "api/pod_codec.h"
#include "api/status_codec.h"
#include "api/watch_codec.h"
#include "model/demand.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void Objects(std::string_view input) {
  const model::ResourceNames names;
  if (const auto pod = api::ParsePod(input, names); pod.ok()) {
    const auto demand = model::DemandOf(*pod, names);
    // What the annotations say is refused on its own; the spec they stand beside is then in order.
    Require(!demand.ok() || model::DemandOfSpec(*pod, names).ok());
    static_cast<void>(api::CheckIsolation(*pod));
  }
  if (const auto node = api::ParseNode(input); node.ok()) {
    Require(node->inventory == nullptr || node->inventory_problem.empty());
  }
  if (const auto pod = agent::ParseNodePod(input, names); pod.ok()) {
    for (const agent::ContainerStatus& status : pod->statuses) {
      Require(status.restart_count >= 0 && pod->StatusOf(status.name).name == status.name);
    }
  }
  static_cast<void>(agent::ParseNodePodList(input, names));
  static_cast<void>(agent::ParseNodePodWatchEvent(input, names));
  static_cast<void>(api::ParsePodList(input, names));
  static_cast<void>(api::ParseNodeList(input));
  static_cast<void>(api::ParsePodWatchEvent(input, names));
  static_cast<void>(api::ParseNodeWatchEvent(input));
  static_cast<void>(api::ParseDisruptionBudgetList(input));
  static_cast<void>(api::ParseDisruptionBudgetWatchEvent(input));
  static_cast<void>(api::ParseApiStatus(input));
}

}  // namespace aliquot::fuzz
