// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/string_map.h"
#include "ledger/claims.h"
#include "ledger/entry.h"
#include "ledger/ledger.h"
#include "scoring/node_state.h"

namespace aliquot::ledger {

// One node inside the ledger: its facts, its holds and the sums of what they take. Everything is
// guarded by `mutex`, except what is constant after construction.
struct Ledger::NodeSlot {
  NodeSlot(std::string node_name, std::uint32_t board_place)
      : name(std::move(node_name)), place(board_place) {}

  const std::string name;
  const std::uint32_t place;  // on the snapshot board

  mutable Mutex mutex;
  // Taken out of the map: whoever still has the pointer must look the node up again.
  bool retired GUARDED_BY(mutex) = false;
  std::shared_ptr<const scoring::NodeFacts> facts GUARDED_BY(mutex);  // nullptr: no node object
  StringMap<std::unique_ptr<Hold>> holds GUARDED_BY(mutex);
  int holds_of_unknown_cards GUARDED_BY(mutex) = 0;
  std::vector<model::CardUse> sums
      GUARDED_BY(mutex);  // per card, wide enough for any number of holds
  std::vector<scoring::CardState> cards GUARDED_BY(mutex);
  // Requested of processor and memory: by the pods that hold cards, and by all others.
  model::HostAmount host_held GUARDED_BY(mutex);
  model::HostAmount host_of_others GUARDED_BY(mutex);
  std::vector<PlacedClaim> claims GUARDED_BY(mutex);  // nearly always none
  // How the cards look below the claims; nullptr when there are none.
  std::shared_ptr<const scoring::ClaimedCards> claimed GUARDED_BY(mutex);

  void SetFacts(std::shared_ptr<const scoring::NodeFacts> fresh) REQUIRES(mutex);
  // The hold's uses must be resolved against the present inventory.
  void Add(std::unique_ptr<Hold> hold) REQUIRES(mutex);
  void Remove(const std::string& uid) REQUIRES(mutex);
  Hold* Find(std::string_view uid) const REQUIRES(mutex);
  // In place of the claim that the UID has here, if any.
  void AddClaim(PlacedClaim claim) REQUIRES(mutex);
  // False when it has none here.
  bool RemoveClaim(std::string_view uid) REQUIRES(mutex);
  scoring::NodeState State() const REQUIRES(mutex);
  // The cards as if these pods had left.
  std::vector<scoring::CardState> CardsWithout(const std::vector<std::string>& uids) const
      REQUIRES(mutex);
  void PublishTo(SnapshotBoard& board) const REQUIRES(mutex);
  // Pre: the node says what it has.
  model::HostAmount HostFree() const REQUIRES(mutex);
  // Nodes come and go with an autoscaler: what has neither object nor holds is given up. True when
  // this call retired it.
  bool RetireIfEmpty() REQUIRES(mutex);
  const model::Inventory* inventory() const REQUIRES(mutex) {
    return facts == nullptr ? nullptr : facts->inventory.get();
  }

 private:
  void Count(const Hold& hold, int sign) REQUIRES(mutex);
  void Show(std::size_t card) REQUIRES(mutex);
  // Brings `claimed` up to date.
  void ShowClaims() REQUIRES(mutex);
};

}  // namespace aliquot::ledger
