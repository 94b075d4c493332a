// SPDX-License-Identifier: Apache-2.0
#include "reconcile/observer.h"

#include "base/string_map.h"

namespace aliquot::reconcile {

void Observer::NodeSeen(const model::Node& node) {
  ledger_.SetNode(node);
  late_stamp_.NodeChanged(node.name);
}

void Observer::NodeGone(std::string_view name) { ledger_.RemoveNode(name); }

void Observer::NodesListed(const std::vector<std::string>& names) {
  const StringSet listed(names.begin(), names.end());
  const auto snapshot = ledger_.Read();
  for (const scoring::NodeState& node : snapshot->Nodes()) {
    if (!listed.contains(node.facts->name)) {
      ledger_.RemoveNode(node.facts->name);
    }
  }
  sync_.NodesListed();
}

void Observer::PodsListed(const std::vector<std::string>& uids) {
  pods_.Listed(uids);
  ledger_.RenewClaims();
  sync_.PodsListed();
}

}  // namespace aliquot::reconcile
