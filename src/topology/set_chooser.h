// SPDX-License-Identifier: Apache-2.0
#pragma once

// Chooses cards of one shape of node by the objective of docs/reference/scoring.md. Immutable but
// for tables that are built once on demand; thread-safe; no clock. Units: GB/s one way.

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "topology/ranked_sets.h"
#include "topology/set_objective.h"

namespace aliquot::topology {

class SubsetTable;

// Steps that one choice may take on a node without a table (branch_and_bound.h).
inline constexpr int kChoiceSteps = 100000;
class SetChooser {
 public:
  // Pre: `shape` has at most kMaxCards cards and vectors that fit it.
  explicit SetChooser(SetShape shape, int max_steps = kChoiceSteps);
  ~SetChooser();
  SetChooser(const SetChooser&) = delete;
  SetChooser& operator=(const SetChooser&) = delete;

  // Builds the tables of a node of up to kMaxTableCards cards: milliseconds for 16, microseconds
  // for 8. Everything else does it when nobody has; call it where nobody waits.
  void Prepare() const;

  // The best set, exact unless it says `cut_short`, which needs more than kMaxTableCards cards.
  SetChoice Choose(const SetRequest& request) const;

  // How well a set is connected. On more than kMaxTableCards cards the ring is the best one found
  // within the bound on steps: never above the best.
  Connectedness Of(CardSet set) const;

  // The terms of `set` when it is what the request gets. Pre: `set` is part of `request.free`.
  SetValue ValueOf(CardSet set, const SetRequest& request) const;

  // Which term decides first for this request.
  SetOrder OrderOf(const SetRequest& request) const;

  // Every set that the request allows, best first; the first one is Choose()'s. An error when there
  // are more than kMaxRankedSets subsets of the size.
  Result<std::vector<RankedSet>> Ranked(const SetRequest& request) const;

  const SetShape& shape() const { return shape_; }

 private:
  const SubsetTable& Table() const;
  bool has_table() const;

  SetShape shape_;
  int max_steps_;
  mutable std::once_flag table_once_;
  mutable std::unique_ptr<const SubsetTable> table_;  // only up to kMaxTableCards cards
};

}  // namespace aliquot::topology
