// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "quota/usage_region.h"

namespace aliquot::agent {

// By how much the GPU time that a container's processes measured of themselves is wrong, since the
// container began: what the driver says less what they wrote down (LiveCard::busy_correction_ns).
// The library charges what it has grown by, and gives back what it has shrunk by.
//
// What processes write down they do when they launch, the driver counts when the work runs; so the
// difference falls while work waits in queues, and rises again. Of the last looks the highest one
// holds, which is free of that. A look without the driver's figure changes nothing. Where a process
// ended, the driver may have stopped counting it before its last work was seen: then the processes'
// own word holds if it is more, so that short-lived processes gain nothing.
//
// The usage region is a stranger's: what it claims beyond the driver's figures by more than
// kLongestAhead is not believed, and no number in it makes a sum overflow. Not thread-safe. ns.
class TimeCorrection {
 public:
  static constexpr std::size_t kLooks = 5;
  static constexpr std::int64_t kLongestAhead = 60'000'000'000;
  // How far the driver's rounding may add up.
  static constexpr std::int64_t kMostRounding = 100'000'000;

  // GPU time of the container on the card since the look before.
  struct DriverTime {
    std::uint64_t ns = 0;
    std::uint64_t rounding_ns = 0;  // by so much it may be more: percent are whole numbers
  };

  // `carried`: what held before this agent began, read from the record.
  explicit TimeCorrection(std::int64_t carried = 0);

  // The first look says where to count from. `ended`: a process of the container that was on the
  // card is gone. Pre: card < quota::kMaxCards.
  void Look(const quota::UsageRegion& usage, std::size_t card,
            const std::optional<DriverTime>& driver, bool ended);

  std::int64_t ns() const;

 private:
  struct Slot {
    std::uint64_t generation = 0;
    std::uint64_t busy_ns = 0;
  };
  // What the processes claim to have used since the look before.
  std::int64_t Claimed(const quota::UsageRegion& usage, std::size_t card, bool& ended);

  std::array<Slot, quota::kUsageSlots> slots_{};
  bool counting_ = false;
  std::int64_t least_;  // the difference lies between these two
  std::int64_t most_;
  std::int64_t drift_;  // taken for it
  std::array<std::int64_t, kLooks> last_{};
  std::size_t next_ = 0;
};

}  // namespace aliquot::agent
