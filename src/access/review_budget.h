// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace aliquot::access {

// How many questions to the API server strangers may cause: a token bucket for each address they
// come from and one for all together, so that one that floods us takes little from the others and
// nobody can have us flood the API server. Not thread-safe. Pure but for the time it is told.
struct ReviewRates {
  double per_address = 2;  // a second, once the burst is spent
  double burst_of_address = 10;
  double together = 10;
  double burst_together = 40;
  std::size_t addresses =
      256;  // remembered; past it the one that is quiet the longest is forgotten
};

class ReviewBudget {
 public:
  explicit ReviewBudget(ReviewRates rates = {}) : rates_(rates) {}

  // Whether one more question may be asked now for that address ("10.0.0.7", without a port).
  bool Take(std::string_view address, SteadyTime now);
  std::size_t addresses() const { return by_address_.size(); }

 private:
  struct Bucket {
    double left = 0;
    SteadyTime filled;
  };

  static void Fill(Bucket& bucket, double rate, double burst, SteadyTime now);
  Bucket& BucketOf(std::string_view address, SteadyTime now);

  const ReviewRates rates_;
  bool begun_ = false;
  Bucket together_;
  std::map<std::string, Bucket, std::less<>> by_address_;
};

}  // namespace aliquot::access
