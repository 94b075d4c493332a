// SPDX-License-Identifier: Apache-2.0
#include "ledger/node_slot.h"

#include <algorithm>
#include <limits>

#include "ledger/seen_hold.h"
#include "scoring/node_gate.h"

namespace aliquot::ledger {
namespace {

// Sums of other people's over-booking may exceed what a CardState holds; "full" is all that matters
// then.
template <typename To, typename From>
To Clamped(From value) {
  return static_cast<To>(std::min<From>(value, std::numeric_limits<To>::max()));
}

}  // namespace

void Ledger::NodeSlot::SetFacts(std::shared_ptr<const scoring::NodeFacts> fresh) {
  facts = std::move(fresh);
  const std::size_t count = inventory() == nullptr ? 0 : inventory()->cards.size();
  sums.assign(count, model::CardUse());
  cards.assign(count, scoring::CardState());
  for (std::size_t card = 0; card < count; ++card) {
    cards[card].mib_total = Clamped<std::int32_t>(inventory()->cards[card].mib);
    cards[card].usable = inventory()->cards[card].usable();
  }
  holds_of_unknown_cards = 0;
  for (const auto& [uid, hold] : holds) {
    ResolveUses(inventory(), *hold);
    Count(*hold, +1);
  }
}

void Ledger::NodeSlot::Add(std::unique_ptr<Hold> hold) {
  Remove(hold->uid);
  Count(*hold, +1);
  std::string uid = hold->uid;
  holds.emplace(std::move(uid), std::move(hold));
}

void Ledger::NodeSlot::Remove(const std::string& uid) {
  const auto found = holds.find(uid);
  if (found == holds.end()) {
    return;
  }
  Count(*found->second, -1);
  holds.erase(found);
}

Hold* Ledger::NodeSlot::Find(std::string_view uid) const {
  const auto found = holds.find(uid);
  return found == holds.end() ? nullptr : found->second.get();
}

void Ledger::NodeSlot::Count(const Hold& hold, int sign) {
  if (hold.source == HoldSource::kUnknownRunning) {
    holds_of_unknown_cards += sign;
  }
  for (const auto& [card, use] : hold.uses) {
    const auto at = static_cast<std::size_t>(card);
    sums[at].core += sign * use.core;
    sums[at].mib += sign * use.mib;
    sums[at].pods += sign * use.pods;
    Show(at);
  }
}

void Ledger::NodeSlot::Show(std::size_t card) {
  cards[card].core_used = Clamped<std::int16_t>(sums[card].core);
  cards[card].mib_used = Clamped<std::int32_t>(sums[card].mib);
  cards[card].pods = Clamped<std::int16_t>(sums[card].pods);
}

scoring::NodeState Ledger::NodeSlot::State() const {
  scoring::NodeState state;
  state.facts = facts.get();
  state.cards = cards.data();
  state.card_count = cards.size();
  state.closed = holds_of_unknown_cards > 0;
  if (facts != nullptr) {
    state.cordoned = facts->cordoned;
    state.gate = scoring::GateOf(*facts, cards.data(), cards.size());
  }
  return state;
}

void Ledger::NodeSlot::PublishTo(SnapshotBoard& board) const {
  board.Publish(place, facts, cards, holds_of_unknown_cards > 0);
}

bool Ledger::NodeSlot::RetireIfEmpty() {
  if (facts != nullptr || !holds.empty() || retired) {
    return false;
  }
  retired = true;
  return true;
}

}  // namespace aliquot::ledger
