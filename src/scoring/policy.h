// SPDX-License-Identifier: Apache-2.0
#pragma once

// The interface behind which cards and nodes are ranked. Pure: no clock, no I/O, no randomness, so
// the same state gives the same answer in the service, in tests and in tools. Thread-safe because
// stateless. One policy a file; policy_registry.h finds them by name.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/ask.h"
#include "scoring/node_state.h"

namespace aliquot::scoring {

// One named part of a score. `name` is a literal.
struct Term {
  std::string_view name;
  std::int64_t value = 0;
};

// A score that explains itself: the terms add up to it. Higher is better.
class Score {
 public:
  void Add(std::string_view name, std::int64_t value) {
    terms_.push_back({name, value});
    total_ += value;
  }
  std::int64_t total() const { return total_; }
  const std::vector<Term>& terms() const& { return terms_; }
  // A loop over the terms of a temporary would read freed memory.
  const std::vector<Term>& terms() const&& = delete;

 private:
  std::int64_t total_ = 0;
  std::vector<Term> terms_;
};

// By card.
using CardRanks = std::array<std::int64_t, topology::kMaxCards>;

class Policy {
 public:
  Policy() = default;
  virtual ~Policy() = default;
  Policy(const Policy&) = delete;
  Policy& operator=(const Policy&) = delete;

  virtual std::string_view name() const = 0;

  // Ranks a card on which `share` fits (share.whole is false). Called for every candidate card of a
  // node; allocates nothing.
  virtual std::int64_t RankCard(const NodeState& node, const Ask& ask,
                                const model::ContainerDemand& share, int card) const = 0;
  // RankCard of each of `candidates` into ranks[card]; other entries stay as they are. By default
  // asks RankCard for each; a policy may know a shorter way.
  virtual void RankCards(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                         topology::CardSet candidates, CardRanks& ranks) const;
  // The card of `candidates` that RankCard ranks highest, of equal ones the lowest. Pre: the share
  // fits on each of them, and there is one.
  int ChooseCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                 topology::CardSet candidates) const;
  // The terms behind RankCard; their sum equals it.
  virtual Score ExplainCard(const NodeState& node, const Ask& ask,
                            const model::ContainerDemand& share, int card) const = 0;

  // Picks `count` whole cards of `idle`. Pre: idle has at least `count`. Allocates nothing.
  virtual topology::CardSet ChooseSet(const NodeState& node, const Ask& ask, topology::CardSet idle,
                                      int count) const = 0;

  // Ranks a node on which the pod fits on `cards` (as Placer chose them). Called for every fitting
  // node of a request; allocates nothing.
  virtual std::int64_t RankNode(const NodeState& node, const Ask& ask,
                                const model::CardsOfContainers& cards) const = 0;
  // The terms behind RankNode; their sum equals it.
  virtual Score ExplainNode(const NodeState& node, const Ask& ask,
                            const model::CardsOfContainers& cards) const = 0;
};

}  // namespace aliquot::scoring
