// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the cards of a node look to a pod while room on them is kept for pods of higher priority.
// Immutable, shared by snapshots; thread-safe.

#include <cstdint>
#include <utility>
#include <vector>

#include "scoring/card_state.h"

namespace aliquot::scoring {

class ClaimedCards {
 public:
  struct Level {
    std::int64_t priority = 0;  // of the claims that come in here; those above count as well
    std::vector<CardState> cards;
  };

  // `levels`: from the highest priority down, each priority once.
  explicit ClaimedCards(std::vector<Level> levels) : levels_(std::move(levels)) {}

  // The cards as a pod of this priority must see them: taken as far as they are now, and as far as
  // they will be once the victims are gone and every pod of higher priority has what it claims.
  // nullptr when no claim is above it: as they are.
  const CardState* For(std::int64_t priority) const {
    const CardState* cards = nullptr;
    for (const Level& level : levels_) {
      if (level.priority <= priority) {
        break;
      }
      cards = level.cards.data();
    }
    return cards;
  }

 private:
  const std::vector<Level> levels_;
};

}  // namespace aliquot::scoring
