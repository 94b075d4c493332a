// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace aliquot::agent {

// One share of a card at one moment. Percent of the card.
struct LendingShare {
  std::uint32_t core = 0;     // guaranteed
  std::uint32_t ceiling = 0;  // at most; >= core
  bool active = false;        // works, or waits for its turn
};

// Who may use how much of a card just now, by water-filling: every active share has what it is
// guaranteed; what is left of the card (of shares that do nothing, and what nobody was given) goes
// to the active ones in proportion to their guaranteed shares, none over its ceiling, until the
// card is given away or all are at their ceilings. The sum of the active ones is at most 100 where
// their guaranteed shares are; percents that do not divide go to the earlier share. An inactive
// share gets its guaranteed one, which costs nobody anything until it works.
//
// Pure. In the order of `shares`.
std::vector<std::uint32_t> LendCores(const std::vector<LendingShare>& shares);

}  // namespace aliquot::agent
