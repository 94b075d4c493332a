// SPDX-License-Identifier: Apache-2.0
#include "ledger/node_slot.h"

#include <algorithm>

#include "ledger/card_uses.h"
#include "ledger/seen_hold.h"
#include "scoring/node_gate.h"

namespace aliquot::ledger {
namespace {

bool SameCards(const model::Inventory* a, const model::Inventory* b) {
  return a != nullptr && b != nullptr &&
         std::equal(a->cards.begin(), a->cards.end(), b->cards.begin(), b->cards.end(),
                    [](const model::Card& x, const model::Card& y) { return x.uuid == y.uuid; });
}

}  // namespace

void Ledger::NodeSlot::SetFacts(std::shared_ptr<const scoring::NodeFacts> fresh) {
  if (!SameCards(inventory(), fresh == nullptr ? nullptr : fresh->inventory.get())) {
    claims.clear();  // they name cards by their place in the inventory
  }
  facts = std::move(fresh);
  const std::size_t count = inventory() == nullptr ? 0 : inventory()->cards.size();
  sums.assign(count, model::CardUse());
  cards.assign(count, scoring::CardState());
  for (std::size_t card = 0; card < count; ++card) {
    cards[card].mib_total = Clamped<std::int32_t>(inventory()->cards[card].mib);
    cards[card].usable = inventory()->cards[card].usable();
  }
  holds_of_unknown_cards = 0;
  host_held = {};
  for (const auto& [uid, hold] : holds) {
    ResolveUses(inventory(), *hold);
    Count(*hold, +1);
  }
  ShowClaims();
}

void Ledger::NodeSlot::Add(std::unique_ptr<Hold> hold) {
  Remove(hold->uid);
  Count(*hold, +1);
  std::string uid = hold->uid;
  holds.emplace(std::move(uid), std::move(hold));
  ShowClaims();
}

void Ledger::NodeSlot::Remove(const std::string& uid) {
  const auto found = holds.find(uid);
  if (found == holds.end()) {
    return;
  }
  Count(*found->second, -1);
  holds.erase(found);
  ShowClaims();
}

Hold* Ledger::NodeSlot::Find(std::string_view uid) const {
  const auto found = holds.find(uid);
  return found == holds.end() ? nullptr : found->second.get();
}

void Ledger::NodeSlot::Count(const Hold& hold, int sign) {
  if (hold.source == HoldSource::kUnknownRunning) {
    holds_of_unknown_cards += sign;
  }
  if (sign > 0) {
    host_held += hold.demand.host;
  } else {
    host_held -= hold.demand.host;
  }
  for (const auto& [card, use] : hold.uses) {
    const auto at = static_cast<std::size_t>(card);
    sums[at].core += sign * use.core;
    sums[at].mib += sign * use.mib;
    sums[at].pods += sign * use.pods;
    Show(at);
  }
}

void Ledger::NodeSlot::Show(std::size_t card) { ShowUse(sums[card], cards[card]); }

scoring::NodeState Ledger::NodeSlot::State() const {
  scoring::NodeState state;
  state.facts = facts.get();
  state.cards = cards.data();
  state.card_count = cards.size();
  state.closed = holds_of_unknown_cards > 0;
  state.claims = claimed.get();
  if (facts != nullptr) {
    state.host_known = facts->allocatable.has_value();
    state.host_free = state.host_known ? HostFree() : model::HostAmount();
    state.cordoned = facts->cordoned;
    state.gate = scoring::GateOf(*facts, cards.data(), cards.size());
  }
  return state;
}

void Ledger::NodeSlot::PublishTo(SnapshotBoard& board) const {
  const bool host_known = facts != nullptr && facts->allocatable;
  board.Publish(place, facts, cards, host_known ? HostFree() : model::HostAmount(),
                holds_of_unknown_cards > 0, claimed);
}

model::HostAmount Ledger::NodeSlot::HostFree() const {
  model::HostAmount free = *facts->allocatable;
  free -= host_held;
  free -= host_of_others;
  return free;
}

bool Ledger::NodeSlot::RetireIfEmpty() {
  if (facts != nullptr || !holds.empty() || retired) {
    return false;
  }
  retired = true;
  return true;
}

}  // namespace aliquot::ledger
