// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether and where a pod fits on one node. Stateless and thread-safe; allocates nothing for a pod
// with one GPU container. Units: percent of a card, MiB. The rules: docs/reference/scoring.md.

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/ask.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"
#include "scoring/policy.h"
#include "scoring/refusal.h"

namespace aliquot::scoring {

struct PlacerOptions {
  int max_sharers_per_card = 16;
  int steps_per_node = 20000;      // of the exact search; past that the greedy answer counts
  int steps_per_request = 400000;  // over all nodes of one request
};

// Steps left to one request; nodes take from it in turn. Not thread-safe: one a request.
class StepBudget {
 public:
  explicit StepBudget(const PlacerOptions& options) : left_(options.steps_per_request) {}
  int left() const { return left_; }
  void Take(int steps) { left_ -= steps; }

 private:
  int left_;
};

struct Verdict {
  Refusal refusal = Refusal::kNone;
  // The exact search ran out of steps and the greedy answer stands: "fits" is sure, "does not" is
  // not.
  bool cut_short = false;

  bool fits() const { return refusal == Refusal::kNone; }
};

struct Choice {
  Verdict verdict;
  // Parallel to PodDemand::containers, ascending indices; empty unless verdict.fits().
  model::CardsOfContainers cards;
};

// Exact search with backtracking over a pod's GPU containers, guided by a policy, bounded by steps
// (never by a clock). Cards that look alike (same free amounts, same load of this pod so far) are
// tried once. Room that is claimed for pods of higher priority (NodeState::claims) is not there for
// the pod. The policy must outlive it.
class Placer {
 public:
  Placer(const PlacerOptions& options, const Policy& policy) : options_(options), policy_(policy) {}

  const PlacerOptions& options() const { return options_; }
  const Policy& policy() const { return policy_; }
  // The policy of aliquot.io/placement where the pod says it, else policy().
  const Policy& PolicyFor(const Ask& ask) const;

  // Does it fit now? For a pod with one GPU container the cards are not ranked.
  Verdict Check(const NodeState& node, const Ask& ask, StepBudget& budget) const;

  // The cards, by the policy's preference. Same verdict as Check with the same budget.
  Choice Choose(const NodeState& node, const Ask& ask, StepBudget& budget) const;
  // The same into an existing object, whose memory it uses again: for loops over many nodes.
  void ChooseInto(const NodeState& node, const Ask& ask, StepBudget& budget, Choice& choice) const;

 private:
  Verdict CheckCards(const NodeState& node, const Ask& ask, StepBudget& budget) const;
  void ChooseCards(const NodeState& node, const Ask& ask, StepBudget& budget, Choice& choice) const;
  void ChooseEligible(const NodeState& node, const Ask& ask, const EligibleCards& eligible,
                      StepBudget& budget, Choice& choice) const;
  void NameTheClaim(const NodeState& node, const Ask& ask, StepBudget& budget,
                    Verdict& verdict) const;

  const PlacerOptions options_;
  const Policy& policy_;
};

}  // namespace aliquot::scoring
