// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plain value; units: percent of a card, MiB.

#include <cstdint>

namespace aliquot::scoring {

// One card at one instant. Small and contiguous: a filter over 5,000 nodes reads 40,000 of these.
struct CardState {
  std::int32_t mib_total = 0;
  std::int32_t mib_used = 0;
  std::int16_t core_used = 0;  // percent; above 100 only when others over-booked the card
  std::int16_t pods = 0;       // pods that hold a share of it
  bool usable = false;         // healthy and ours to share

  int core_free() const { return 100 - core_used; }
  int mib_free() const { return mib_total - mib_used; }
  bool idle() const { return core_used == 0 && mib_used == 0 && pods == 0; }
};

}  // namespace aliquot::scoring
