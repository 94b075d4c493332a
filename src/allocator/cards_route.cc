// SPDX-License-Identifier: Apache-2.0
#include "allocator/cards_route.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace aliquot::allocator {
namespace {

using Json = nlohmann::ordered_json;

Json NodeJson(const scoring::NodeState& node) {
  Json cards = Json::array();
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const scoring::CardState& state = node.cards[i];
    const model::Card& card = node.facts->inventory->cards[i];
    cards.push_back({{"minor", card.minor},
                     {"uuid", card.uuid},
                     {"model", card.model},
                     {"usable", state.usable},
                     {"core_used", state.core_used},
                     {"mib_used", state.mib_used},
                     {"mib_total", state.mib_total},
                     {"pods", state.pods}});
  }
  return {{"name", node.facts->name},
          {"cordoned", node.facts->cordoned},
          {"closed", node.closed},
          {"cards", std::move(cards)}};
}

}  // namespace

http::Response Cards(const ledger::Ledger& ledger) {
  const auto snapshot = ledger.Read();
  std::vector<scoring::NodeState> nodes = snapshot->Nodes();
  std::sort(nodes.begin(), nodes.end(),
            [](const auto& a, const auto& b) { return a.facts->name < b.facts->name; });
  Json list = Json::array();
  for (const scoring::NodeState& node : nodes) {
    list.push_back(NodeJson(node));
  }
  const Json json = {{"nodes", std::move(list)}};
  return http::JsonResponse(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace aliquot::allocator
