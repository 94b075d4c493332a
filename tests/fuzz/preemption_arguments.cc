// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "api/json_document.h"
#include "api/preemption_wire.h"
#include "model/demand.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void PreemptionArguments(std::string_view input) {
  const model::ResourceNames names;
  const auto args = api::ParsePreemptionArgs(input, names);
  if (!args.ok()) {
    Require(!args.status().message().empty());
    return;
  }
  static_cast<void>(model::DemandOf(args->pod, names));
  for (std::size_t i = 0; i + 1 < args->nodes.size(); ++i) {
    Require(args->nodes[i].node < args->nodes[i + 1].node);
  }
  // Whatever was sent, the reply is JSON that holds the same victims.
  std::string reply;
  api::WritePreemptionResult(reply, args->nodes);
  const nlohmann::json read = nlohmann::json::parse(reply)["NodeNameToMetaVictims"];
  Require(read.size() == args->nodes.size());
  for (const api::NodeVictims& node : args->nodes) {
    Require(read[std::string(node.node)]["Pods"].size() == node.uids.size());
  }
}

}  // namespace aliquot::fuzz
