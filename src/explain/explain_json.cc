// SPDX-License-Identifier: Apache-2.0
#include "explain/explain_json.h"

#include <nlohmann/json.hpp>

namespace aliquot::explain {
namespace {

// Keeps the keys in the order of the header.
using Json = nlohmann::ordered_json;

const char* KindName(model::ContainerKind kind) {
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

Json Terms(const scoring::Score& score) {
  Json terms = Json::array();
  for (const scoring::Term& term : score.terms()) {
    terms.push_back({{"term", std::string(term.name)}, {"value", term.value}});
  }
  return terms;
}

Json Asked(const model::PodDemand& demand) {
  Json asked = Json::array();
  for (const model::ContainerDemand& container : demand.containers) {
    asked.push_back({{"container", container.name},
                     {"kind", KindName(container.kind)},
                     {"cards", container.cards},
                     {"core", container.core},
                     {"mib", container.mib},
                     {"whole", container.whole}});
  }
  return asked;
}

Json Reasons(const std::vector<ReasonCount>& counts) {
  Json reasons = Json::array();
  for (const ReasonCount& count : counts) {
    reasons.push_back({{"reason", std::string(scoring::RefusalName(count.refusal))},
                       {"sentence", std::string(scoring::RefusalSentence(count.refusal))},
                       {"nodes", count.nodes},
                       {"could_fit_later", scoring::CouldFitLater(count.refusal)}});
  }
  return reasons;
}

Json Containers(const std::vector<ChosenContainer>& chosen) {
  Json containers = Json::array();
  for (const ChosenContainer& container : chosen) {
    Json cards = Json::array();
    for (const ChosenCard& card : container.cards) {
      Json entry = {{"minor", card.minor}, {"uuid", card.uuid}};
      if (!card.score.terms().empty()) {
        entry["score"] = Terms(card.score);
      }
      cards.push_back(std::move(entry));
    }
    containers.push_back({{"container", container.name}, {"cards", std::move(cards)}});
  }
  return containers;
}

Json Node(const NodeReport& node) {
  Json json = {{"name", node.name},
               {"fits", node.verdict.fits()},
               {"reason", std::string(scoring::RefusalName(node.verdict.refusal))},
               {"sentence", std::string(scoring::RefusalSentence(node.verdict.refusal))},
               {"could_fit_later", scoring::CouldFitLater(node.verdict.refusal)},
               {"cut_short", node.verdict.cut_short},
               {"detail", node.inventory_problem},
               {"cards", node.figures.cards},
               {"usable_cards", node.figures.usable_cards},
               {"idle_cards", node.figures.idle_cards},
               {"largest_core_free", node.figures.largest_core_free},
               {"largest_mib_free", node.figures.largest_mib_free}};
  if (node.verdict.fits()) {
    json["rank"] = node.score.total();
    json["score"] = Terms(node.score);
    json["containers"] = Containers(node.containers);
  }
  return json;
}

}  // namespace

std::string ToJson(const Report& report, const model::PodDemand& demand, int indent) {
  Json nodes = Json::array();
  for (const NodeReport& node : report.nodes) {
    nodes.push_back(Node(node));
  }
  const NodeReport* best = report.best();
  const Json json = {{"summary", report.summary},
                     {"policy", report.policy},
                     {"nodes_total", report.nodes.size()},
                     {"nodes_fitting", report.fitting},
                     {"nodes_cut_short", report.cut_short},
                     {"best_node", best == nullptr ? Json() : Json(best->name)},
                     {"reasons", Reasons(report.reasons)},
                     {"asked", Asked(demand)},
                     {"nodes", std::move(nodes)}};
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aliquot::explain
