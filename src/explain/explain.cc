// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"

#include <algorithm>
#include <tuple>

namespace aliquot::explain {
namespace {

using scoring::CardState;
using scoring::NodeState;
using scoring::Refusal;

NodeFigures FiguresOf(const NodeState& node) {
  NodeFigures figures;
  figures.cards = static_cast<int>(node.card_count);
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    if (!card.usable) {
      continue;
    }
    ++figures.usable_cards;
    figures.idle_cards += card.idle() ? 1 : 0;
    figures.largest_core_free = std::max(figures.largest_core_free, card.core_free());
    figures.largest_mib_free = std::max<std::int64_t>(figures.largest_mib_free, card.mib_free());
  }
  return figures;
}

ChosenContainer Describe(const NodeState& node, const scoring::Ask& ask,
                         const model::ContainerDemand& container, const std::vector<int>& cards,
                         const scoring::Policy& policy) {
  ChosenContainer chosen;
  chosen.name = container.name;
  for (const int card : cards) {
    const model::Card& of_inventory = node.facts->inventory->cards[static_cast<std::size_t>(card)];
    ChosenCard described;
    described.minor = of_inventory.minor;
    described.uuid = of_inventory.uuid;
    if (!container.whole) {
      described.score = policy.ExplainCard(node, ask, container, card);
    }
    chosen.cards.push_back(std::move(described));
  }
  return chosen;
}

NodeReport ReportOn(const NodeState& node, const scoring::Ask& ask, const scoring::Placer& placer,
                    scoring::StepBudget& budget) {
  NodeReport report;
  report.name = node.facts->name;
  report.figures = FiguresOf(node);
  const scoring::Choice choice = placer.Choose(node, ask, budget);
  report.verdict = choice.verdict;
  if (choice.verdict.refusal == Refusal::kBadInventory) {
    report.inventory_problem = node.facts->inventory_problem;
  }
  if (!choice.verdict.fits()) {
    return report;
  }
  report.score = placer.PolicyFor(ask).ExplainNode(node, ask, choice.cards);
  for (std::size_t i = 0; i < choice.cards.size(); ++i) {
    report.containers.push_back(
        Describe(node, ask, ask.demand.containers[i], choice.cards[i], placer.PolicyFor(ask)));
  }
  return report;
}

std::vector<ReasonCount> CountReasons(const std::vector<NodeReport>& nodes) {
  std::vector<ReasonCount> reasons;
  for (const Refusal refusal : scoring::kAllRefusals) {
    const auto count = std::count_if(nodes.begin(), nodes.end(), [refusal](const NodeReport& node) {
      return node.verdict.refusal == refusal;
    });
    if (refusal != Refusal::kNone && count > 0) {
      reasons.push_back({refusal, static_cast<std::size_t>(count)});
    }
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const ReasonCount& a, const ReasonCount& b) { return a.nodes > b.nodes; });
  return reasons;
}

std::string Summarize(const Report& report) {
  std::string summary =
      std::to_string(report.fitting) + "/" + std::to_string(report.nodes.size()) + " nodes fit";
  if (report.nodes.empty()) {
    return summary + ": no node is known";
  }
  if (const NodeReport* best = report.best()) {
    summary += ", the best is " + best->name;
  }
  std::string separator = ": ";
  for (const ReasonCount& reason : report.reasons) {
    summary += separator + std::to_string(reason.nodes) + " ";
    summary += scoring::RefusalSentence(reason.refusal);
    separator = ", ";
  }
  if (report.cut_short > 0) {
    summary += "; the search was cut short on " + std::to_string(report.cut_short);
  }
  return summary;
}

}  // namespace

Report ExplainPod(const scoring::Ask& ask, const ledger::Snapshot& snapshot,
                  const scoring::Placer& placer) {
  return ExplainPod(ask, snapshot.Nodes(), placer);
}

Report ExplainPod(const scoring::Ask& ask, std::vector<NodeState> nodes,
                  const scoring::Placer& placer) {
  std::sort(nodes.begin(), nodes.end(),
            [](const NodeState& a, const NodeState& b) { return a.facts->name < b.facts->name; });
  Report report;
  report.policy = placer.PolicyFor(ask).name();
  scoring::StepBudget budget(placer.options());
  for (const NodeState& node : nodes) {
    report.nodes.push_back(ReportOn(node, ask, placer, budget));
    report.fitting += report.nodes.back().verdict.fits() ? 1 : 0;
    report.cut_short += report.nodes.back().verdict.cut_short ? 1 : 0;
  }
  // Stable: equals stay in the order of their names.
  std::stable_sort(report.nodes.begin(), report.nodes.end(),
                   [](const NodeReport& a, const NodeReport& b) {
                     return std::make_tuple(!a.verdict.fits(), -a.score.total()) <
                            std::make_tuple(!b.verdict.fits(), -b.score.total());
                   });
  report.reasons = CountReasons(report.nodes);
  report.summary = Summarize(report);
  return report;
}

}  // namespace aliquot::explain
