// SPDX-License-Identifier: Apache-2.0
#include "access/review_budget.h"

#include <algorithm>

namespace aliquot::access {

void ReviewBudget::Fill(Bucket& bucket, double rate, double burst, SteadyTime now) {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  bucket.left = std::min(burst, bucket.left + std::max(0.0, seconds) * rate);
  bucket.filled = std::max(bucket.filled, now);
}

ReviewBudget::Bucket& ReviewBudget::BucketOf(std::string_view address, SteadyTime now) {
  const auto known = by_address_.find(address);
  if (known != by_address_.end()) {
    return known->second;
  }
  if (by_address_.size() >= rates_.addresses) {
    const auto oldest = std::min_element(
        by_address_.begin(), by_address_.end(),
        [](const auto& a, const auto& b) { return a.second.filled < b.second.filled; });
    by_address_.erase(oldest);
  }
  return by_address_.emplace(std::string(address), Bucket{rates_.burst_of_address, now})
      .first->second;
}

bool ReviewBudget::Take(std::string_view address, SteadyTime now) {
  if (!begun_) {
    begun_ = true;
    together_ = {rates_.burst_together, now};
  }
  Bucket& own = BucketOf(address, now);
  Fill(own, rates_.per_address, rates_.burst_of_address, now);
  Fill(together_, rates_.together, rates_.burst_together, now);
  if (own.left < 1 || together_.left < 1) {
    return false;
  }
  own.left -= 1;
  together_.left -= 1;
  return true;
}

}  // namespace aliquot::access
