// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/grants_page.h"

#include <nlohmann/json.hpp>

namespace aliquot::agent {
namespace {

using Json = nlohmann::ordered_json;

std::string KindName(model::ContainerKind kind) {
  switch (kind) {
    case model::ContainerKind::kInit:
      return "init";
    case model::ContainerKind::kSidecar:
      return "sidecar";
    case model::ContainerKind::kApp:
      break;
  }
  return "app";
}

Json GrantJson(const GrantRecord& grant) {
  Json cards = Json::array();
  for (const GrantedCard& card : grant.cards) {
    cards.push_back(
        {{"uuid", card.uuid}, {"minor", card.minor}, {"core", card.core}, {"mib", card.mib}});
  }
  return {{"name", grant.name},
          {"namespace", grant.identity.key.namespace_name},
          {"pod", grant.identity.key.name},
          {"uid", grant.identity.uid},
          {"container", grant.identity.container},
          {"kind", KindName(grant.identity.kind)},
          {"cards", std::move(cards)},
          {"limit", grant.limit},
          {"isolation", grant.isolation},
          {"enforcement",
           grant.enforcement == "library" ? "library " + grant.library : grant.enforcement},
          {"deviceIDs", grant.device_ids.size()}};
}

}  // namespace

std::string GrantsPage(const std::string& node, const LiveList& grants) {
  Json all = Json::array();
  for (const auto& grant : grants) {
    all.push_back(GrantJson(*grant));
  }
  const Json page = {{"node", node}, {"grants", std::move(all)}};
  // Names are the API server's; a record from disk may hold anything.
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aliquot::agent
