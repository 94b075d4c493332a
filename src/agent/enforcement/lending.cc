// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/lending.h"

#include <algorithm>

namespace aliquot::agent {

std::vector<std::uint32_t> LendCores(const std::vector<LendingShare>& shares) {
  constexpr std::uint32_t kWhole = 100;
  std::vector<std::uint32_t> given;
  std::uint32_t taken = 0;
  for (const LendingShare& share : shares) {
    given.push_back(share.core);
    taken += share.active ? share.core : 0;
  }
  std::uint32_t left = taken < kWhole ? kWhole - taken : 0;
  // Each round gives away all that is left in proportion, or brings a share to its ceiling; at
  // least one percent goes each time, so there are at most 100.
  while (left > 0) {
    std::uint32_t weight = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const bool hungry = shares[i].active && given[i] < shares[i].ceiling;
      weight += hungry ? shares[i].core : 0;
    }
    if (weight == 0) {
      break;
    }
    const std::uint32_t pot = left;
    for (std::size_t i = 0; i < shares.size() && left > 0; ++i) {
      if (!shares[i].active || given[i] >= shares[i].ceiling) {
        continue;
      }
      const std::uint32_t part = std::max(1U, pot * shares[i].core / weight);
      const std::uint32_t more = std::min({part, shares[i].ceiling - given[i], left});
      given[i] += more;
      left -= more;
    }
  }
  return given;
}

}  // namespace aliquot::agent
