// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_patch.h"

#include <nlohmann/json.hpp>

#include "model/names.h"

namespace aliquot::agent {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string MetadataPatch(const NodeView& node, const NodeWish& wish) {
  Json annotations = Json::object();
  Json labels = Json::object();
  if (node.inventory != wish.inventory) {
    annotations[std::string(model::kInventoryAnnotation)] = wish.inventory;
  }
  const LabelPlan plan = PlanGpuLabels(wish.labels, node);
  for (const auto& [key, value] : plan.changes) {
    labels[key] = value ? Json(*value) : Json(nullptr);
  }
  if (plan.remember) {
    annotations[std::string(model::kGpuLabelsAnnotation)] =
        plan.remembered.empty() ? Json(nullptr) : Json(plan.remembered);
  }
  if (annotations.empty() && labels.empty()) {
    return {};
  }
  Json metadata{{"uid", node.uid}};
  if (!labels.empty() || plan.remember) {
    metadata["resourceVersion"] = node.resource_version;
  }
  if (!annotations.empty()) {
    metadata["annotations"] = annotations;
  }
  if (!labels.empty()) {
    metadata["labels"] = labels;
  }
  return Dump(Json{{"metadata", metadata}});
}

// From the last to the first, so that a removal moves none that is still to go.
std::string TaintPatch(const NodeView& node, const NodeWish& wish) {
  Json removals = Json::array();
  for (std::size_t i = node.taints.size(); i-- > 0;) {
    const NodeTaint& taint = node.taints[i];
    if (taint.key != wish.startup_taint) {
      continue;
    }
    const std::string path = "/spec/taints/" + std::to_string(i);
    removals.push_back({{"op", "test"}, {"path", path + "/key"}, {"value", taint.key}});
    removals.push_back({{"op", "test"}, {"path", path + "/effect"}, {"value", taint.effect}});
    removals.push_back({{"op", "remove"}, {"path", path}});
  }
  if (removals.empty()) {
    return {};
  }
  Json patch = Json::array({Json{{"op", "test"}, {"path", "/metadata/uid"}, {"value", node.uid}}});
  for (const Json& each : removals) {
    patch.push_back(each);
  }
  return Dump(patch);
}

}  // namespace

NodePatch PlanNodePatch(const NodeView& node, const NodeWish& wish) {
  NodePatch patch;
  patch.metadata = MetadataPatch(node, wish);
  if (node.inventory == wish.inventory && !wish.startup_taint.empty()) {
    patch.taints = TaintPatch(node, wish);
  }
  return patch;
}

}  // namespace aliquot::agent
