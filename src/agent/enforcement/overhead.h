// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace aliquot::agent {

// How much the driver counts for a container on one card beyond what its processes have charged:
// contexts, code, padding. The library takes it off the limit (LiveCard::overhead_bytes).
//
// Driver and charges are read one after the other while the container allocates, so each look
// errs. It is made to err downwards: what was charged is the larger of the sums before and after
// the driver's answer, and what holds is the least of the last three looks. So an allocation under
// way never takes memory from its container, and a container that makes its own charges smaller has
// the difference counted as overhead within three looks. Units: bytes. Not thread-safe.
class OverheadWindow {
 public:
  static constexpr std::size_t kLooks = 3;

  // `carried`: what held before, 0 for a container that begins. It counts as the looks not taken
  // yet.
  explicit OverheadWindow(std::uint64_t carried = 0) { last_.fill(carried); }

  void Add(std::uint64_t driver_bytes, std::uint64_t held_before, std::uint64_t held_after);
  std::uint64_t bytes() const;

 private:
  std::array<std::uint64_t, kLooks> last_{};
  std::size_t next_ = 0;
};

}  // namespace aliquot::agent
