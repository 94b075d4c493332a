// SPDX-License-Identifier: Apache-2.0
#pragma once

// Why a pod fits or does not fit, node by node, with figures: what the constant sentences of
// scoring/refusal.h leave out on purpose. Pure, thread-safe; the same code serves the allocator and
// the command line. It asks "where would this demand go now": cards that the pod itself holds
// already count as taken. Units: percent of a card, MiB.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ledger/snapshot.h"
#include "model/demand.h"
#include "scoring/node_state.h"
#include "scoring/placer.h"

namespace aliquot::explain {

// What is left on a node, over its usable cards.
struct NodeFigures {
  int cards = 0;
  int usable_cards = 0;
  int idle_cards = 0;
  int largest_core_free = 0;  // of one card; 0 on over-booked ones
  std::int64_t largest_mib_free = 0;
};

struct ChosenCard {
  int minor = 0;  // the index that users see
  std::string uuid;
  scoring::Score score;  // why this card; empty for whole cards, which are chosen as a set
};

struct ChosenContainer {
  std::string name;
  std::vector<ChosenCard> cards;
};

struct NodeReport {
  std::string name;
  scoring::Verdict verdict;
  std::string inventory_problem;  // for kBadInventory: what is wrong with it
  NodeFigures figures;
  // Empty unless the pod fits here.
  std::vector<ChosenContainer> containers;
  scoring::Score score;  // of the node; its total is the rank
};

struct ReasonCount {
  scoring::Refusal refusal = scoring::Refusal::kNone;
  std::size_t nodes = 0;
};

struct Report {
  // One line: "0/3 nodes fit: 2 not enough idle GPUs, 1 the node is cordoned".
  std::string summary;
  std::string policy;
  std::size_t fitting = 0;
  std::size_t cut_short = 0;  // nodes on which the exact search ran out of steps
  // The most frequent first, then in the order of scoring::Refusal.
  std::vector<ReasonCount> reasons;
  // Fitting nodes by rank, the best first, then the refused; equals by name.
  std::vector<NodeReport> nodes;

  // The node that would get the pod; nullptr when none fits.
  const NodeReport* best() const { return fitting == 0 ? nullptr : &nodes.front(); }
};

// Over every node of the snapshot. Nodes share the request's search steps in the order of their
// names, as in the filter verb.
Report ExplainPod(const scoring::Ask& ask, const ledger::Snapshot& snapshot,
                  const scoring::Placer& placer);
// The same over nodes from elsewhere.
Report ExplainPod(const scoring::Ask& ask, std::vector<scoring::NodeState> nodes,
                  const scoring::Placer& placer);

}  // namespace aliquot::explain
