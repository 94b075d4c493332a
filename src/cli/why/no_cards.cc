// SPDX-License-Identifier: Apache-2.0
#include "cli/why/no_cards.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using scoring::Refusal;

constexpr std::size_t kNamedNodes = 3;

// Nodes with cards among the refused ones.
std::size_t NodesWithCards(const explain::Report& report) {
  std::size_t nodes = 0;
  for (const explain::ReasonCount& reason : report.reasons) {
    nodes += reason.refusal == Refusal::kNoInventory ? 0 : reason.nodes;
  }
  return nodes;
}

// "GPUs are free on a, b, but it does not tolerate the taint ..": nodes it may not use.
std::string Excluded(const ExcludedNodes& excluded) {
  return "GPUs are free on " + SomeOf(excluded.nodes) + ", but " + excluded.objection.says;
}

// No node has the cards: the most frequent reason, with figures where the sum would do.
WhyAnswer Refused(const PodEvidence& evidence, const explain::Report& report) {
  if (!evidence.old_plugin.empty() && NodesWithCards(report) == 0) {
    return {"old_plugin", "nodes advertise " + evidence.names.core +
                              " by another device plugin and publish no cards to Aliquot: " +
                              SomeOf(evidence.old_plugin) +
                              "; remove that plugin there (gpu-manager?)"};
  }
  if (NodesWithCards(report) == 0) {
    return {"no_agents", "no node publishes cards; does aliquot-agent run on the GPU nodes?"};
  }
  if (!evidence.fragmented.empty()) {
    return {"fragmented", evidence.fragmented};
  }
  // Nodes without GPUs are no news.
  const auto worst =
      std::find_if(report.reasons.begin(), report.reasons.end(),
                   [](const auto& reason) { return reason.refusal != Refusal::kNoInventory; });
  return {std::string(scoring::RefusalName(worst->refusal)), report.summary};
}

}  // namespace

std::string SomeOf(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kNamedNodes);
  std::string text =
      Join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown)}, ", ");
  if (names.size() > shown) {
    text += " and " + std::to_string(names.size() - shown) + " more";
  }
  return text;
}

WhyAnswer NoCards(const PodEvidence& evidence) {
  const std::size_t usable = NodesWithCards(*evidence.allowed);
  if (evidence.excluded.empty()) {
    return Refused(evidence, usable > 0 ? *evidence.allowed : *evidence.report);
  }
  const ExcludedNodes& most = evidence.excluded.front();
  // Where it names nodes by their labels, the others are no news while these have cards.
  const bool nothing_else = usable == 0 && evidence.old_plugin.empty();
  if (nothing_else || (most.wanted() && usable < most.nodes.size())) {
    return {most.objection.code, Excluded(most) + "; " + most.objection.remedy};
  }
  WhyAnswer answer = Refused(evidence, *evidence.allowed);
  answer.sentence += "; " + Excluded(most);
  return answer;
}

std::string FragmentedSentence(const explain::Report& report,
                               const std::vector<scoring::NodeState>& nodes,
                               const model::PodDemand& demand, bool all) {
  const auto asked = std::max_element(demand.containers.begin(), demand.containers.end(),
                                      [](const auto& a, const auto& b) { return a.core < b.core; });
  const auto fragmented =
      std::find_if(report.nodes.begin(), report.nodes.end(), [](const explain::NodeReport& node) {
        return node.verdict.refusal == Refusal::kNotOnOneCard;
      });
  if (asked == demand.containers.end() || fragmented == report.nodes.end()) {
    return {};
  }
  std::int64_t core = 0;
  std::int64_t mib = 0;
  for (const scoring::NodeState& node : nodes) {
    for (std::size_t i = 0; node.facts->name == fragmented->name && i < node.card_count; ++i) {
      core += node.cards[i].usable ? node.cards[i].core_free() : 0;
      mib += node.cards[i].usable ? node.cards[i].mib_free() : 0;
    }
  }
  return "fragmented: " + std::to_string(core) + " % and " + std::to_string(mib) +
         " MiB are free in sum on node " + fragmented->name + ", but " +
         std::to_string(asked->core) + " % and " + std::to_string(asked->mib) +
         " MiB on no one card of any node" + (all ? "" : " that it may use");
}

}  // namespace aliquot::cli
