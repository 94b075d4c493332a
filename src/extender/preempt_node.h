// SPDX-License-Identifier: Apache-2.0
#pragma once

// The victims of a preemption on one node. Pure: no clock, no I/O; thread-safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/budget_book.h"
#include "ledger/claims.h"
#include "scoring/ask.h"
#include "scoring/placer.h"

namespace aliquot::extender {

// The pod that preempts.
struct Preemptor {
  std::string_view uid;
  scoring::Ask ask;  // its priority included
};

// What kube-scheduler proposes for a node.
struct Proposal {
  std::vector<std::string_view> uids;  // from the highest priority down
  std::int64_t pdb_violations = 0;
};

struct NodePlan {
  std::vector<std::string>
      victims;  // UIDs, from the highest priority down, as kube-scheduler needs
  std::int64_t pdb_violations = 0;
  ledger::RoomOnNode room;
  bool cut_short = false;
};

// Picks the victims anew (docs/reference/preemption.md has the rules), or nothing when no set of
// pods of lower priority helps.
std::optional<NodePlan> PlanNode(const ledger::NodeForPreemption& node, const Preemptor& preemptor,
                                 const Proposal& proposal, const scoring::Placer& placer,
                                 BudgetBook& budgets, scoring::StepBudget& budget);

}  // namespace aliquot::extender
