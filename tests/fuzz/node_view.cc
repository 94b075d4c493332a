// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_view.h"

#include <nlohmann/json.hpp>
#include <string>

#include "agent/inventory/node_patch.h"
#include "api/json_document.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

agent::NodeView ViewOf(const nlohmann::json& node) {
  const auto view = agent::ParseNodeView(node.dump());
  Require(view.ok());
  return *view;
}

// Each patch is applied as the API server applies it; after both the node says all that is wished.
void ExpectToConverge(nlohmann::json node) {
  const agent::NodeWish wish{"{\"v\":1}",
                             {{"nvidia.com/gpu.count", "4"}, {"nvidia.com/gpu.product", "T4"}},
                             "aliquot.io/agent-not-ready"};
  agent::NodePatch patch = agent::PlanNodePatch(ViewOf(node), wish);
  if (!patch.metadata.empty()) {
    node.merge_patch(nlohmann::json::parse(patch.metadata));
    patch = agent::PlanNodePatch(ViewOf(node), wish);
  }
  Require(patch.metadata.empty());
  if (!patch.taints.empty()) {
    nlohmann::json guarded = nlohmann::json::parse(patch.taints);
    Require(guarded[0]["op"] == "test");
    guarded.erase(0);  // an object without a UID is none of the API server's
    node = node.patch(guarded);
  }
  Require(agent::PlanNodePatch(ViewOf(node), wish).empty());
}

}  // namespace

void NodeView(std::string_view input) {
  const auto view = agent::ParseNodeView(input);
  if (!view.ok()) {
    Require(!view.status().message().empty());
    return;
  }
  Require(!view->name.empty());
  api::JsonDocument document;
  if (document.Parse(input, api::kMaxRequestDepth).ok()) {
    const auto node = nlohmann::json::parse(input, nullptr, /*allow_exceptions=*/false);
    // Of a key given twice the two parsers may take another one.
    if (!node.is_discarded() && agent::ParseNodeView(node.dump()).ok()) {
      ExpectToConverge(node);
    }
  }
}

}  // namespace aliquot::fuzz
