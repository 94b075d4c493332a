// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/overhead.h"

#include <algorithm>

namespace aliquot::agent {

void OverheadWindow::Add(std::uint64_t driver_bytes, std::uint64_t held_before,
                         std::uint64_t held_after) {
  const std::uint64_t held = std::max(held_before, held_after);
  last_.at(next_) = driver_bytes > held ? driver_bytes - held : 0;
  next_ = (next_ + 1) % kLooks;
}

std::uint64_t OverheadWindow::bytes() const {
  return *std::min_element(last_.begin(), last_.end());
}

}  // namespace aliquot::agent
