// SPDX-License-Identifier: Apache-2.0
#pragma once

// Figures along a replay, gathered by whole percents of the cluster's GPUs that the pods arrived so
// far ask for: the mean over all events whose arrived percent rounds to that number. Not
// thread-safe.

#include <cstddef>
#include <optional>
#include <vector>

namespace aliquot::simulate {

class ArrivalCurve {
 public:
  // Pre: arrived_percent >= 0. Halves are rounded up.
  void Add(double arrived_percent, double value);

  // The mean at this percent; nothing where no event falls on it.
  std::optional<double> At(std::size_t percent) const;
  // The same or, where no event falls on it, of the nearest lower percent with one: pods that ask
  // for much move a small cluster several percent at once.
  std::optional<double> AtOrBefore(std::size_t percent) const;
  // One more than the highest percent with an event.
  std::size_t size() const { return sums_.size(); }

 private:
  struct Sum {
    double total = 0;
    std::size_t count = 0;
  };
  std::vector<Sum> sums_;
};

}  // namespace aliquot::simulate
