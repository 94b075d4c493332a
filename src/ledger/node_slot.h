// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/string_map.h"
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

  void SetFacts(std::shared_ptr<const scoring::NodeFacts> fresh) REQUIRES(mutex);
  // The hold's uses must be resolved against the present inventory.
  void Add(std::unique_ptr<Hold> hold) REQUIRES(mutex);
  void Remove(const std::string& uid) REQUIRES(mutex);
  Hold* Find(std::string_view uid) const REQUIRES(mutex);
  scoring::NodeState State() const REQUIRES(mutex);
  void PublishTo(SnapshotBoard& board) const REQUIRES(mutex);
  // Nodes come and go with an autoscaler: what has neither object nor holds is given up. True when
  // this call retired it.
  bool RetireIfEmpty() REQUIRES(mutex);
  const model::Inventory* inventory() const REQUIRES(mutex) {
    return facts == nullptr ? nullptr : facts->inventory.get();
  }

 private:
  void Count(const Hold& hold, int sign) REQUIRES(mutex);
  void Show(std::size_t card) REQUIRES(mutex);
};

}  // namespace aliquot::ledger
