// SPDX-License-Identifier: Apache-2.0
#include "bench/plain_filter.h"

#include <nlohmann/json.hpp>

namespace aliquot::bench {
namespace {

bool Fits(const std::vector<BenchCard>& cards, int core, int mib) {
  int idle = 0;
  bool share_fits = false;
  for (const BenchCard& card : cards) {
    idle += card.core_used == 0 && card.mib_used == 0 ? 1 : 0;
    share_fits = share_fits || (card.core_used + core <= 100 && card.mib_used + mib <= kCardMib);
  }
  return core >= 100 ? idle >= core / 100 : share_fits;
}

}  // namespace

PlainFilter::PlainFilter(int nodes) {
  for (int node = 0; node < nodes; ++node) {
    cards_of_node_[NodeName(node, nodes)] = CardsOfNode(node);
  }
}

std::string PlainFilter::Filter(const std::string& body) const {
  const nlohmann::json args = nlohmann::json::parse(body);
  const nlohmann::json& limits = args["Pod"]["spec"]["containers"][0]["resources"]["limits"];
  const int core = std::stoi(limits["tencent.com/vcuda-core"].get<std::string>());
  const int memory = limits.contains("tencent.com/vcuda-memory")
                         ? std::stoi(limits["tencent.com/vcuda-memory"].get<std::string>())
                         : 0;
  nlohmann::json names = nlohmann::json::array();
  nlohmann::json failed = nlohmann::json::object();
  for (const nlohmann::json& name : args["NodeNames"]) {
    const auto node = cards_of_node_.find(name.get<std::string>());
    if (node != cards_of_node_.end() && Fits(node->second, core, memory * 256)) {
      names.push_back(name);
    } else {
      failed[name.get<std::string>()] = "not enough free on any GPU";
    }
  }
  const nlohmann::json reply = {{"Nodes", nullptr},
                                {"NodeNames", names},
                                {"FailedNodes", failed},
                                {"FailedAndUnresolvableNodes", nlohmann::json::object()},
                                {"Error", ""}};
  return reply.dump();
}

}  // namespace aliquot::bench
