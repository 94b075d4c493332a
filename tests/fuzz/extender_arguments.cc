// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "api/extender_wire.h"
#include "model/demand.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void ExtenderArguments(std::string_view input) {
  const model::ResourceNames names;
  const auto args = api::ParseExtenderArgs(input, names);
  if (!args.ok()) {
    Require(!args.status().message().empty());
    return;
  }
  Require(args->has_nodes != args->has_node_names);
  Require(!args->has_nodes || args->node_items.size() == args->node_names.size());
  static_cast<void>(model::DemandOf(args->pod, names));
  // Whatever was sent, the reply is JSON that holds the same nodes.
  api::FilterResult result;
  for (std::size_t i = 0; i < args->node_names.size(); ++i) {
    if (i % 2 == 0) {
      result.kept.push_back(i);
    } else {
      result.failed.push_back({args->node_names[i], args->pod.key.name});
    }
  }
  std::string reply;
  api::WriteFilterResult(reply, *args, result);
  const nlohmann::json read = nlohmann::json::parse(reply);
  const nlohmann::json& kept = args->has_nodes ? read["Nodes"]["items"] : read["NodeNames"];
  Require(kept.size() == result.kept.size());
}

}  // namespace aliquot::fuzz
