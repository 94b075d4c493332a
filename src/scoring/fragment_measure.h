// SPDX-License-Identifier: Apache-2.0
#pragma once

// The fragmentation measure of Weng et al., "Beware of Fragmentation: Scheduling GPU-Sharing
// Workloads with Fragmentation Gradient Descent" (USENIX ATC 2023), section 3: of the idle cards of
// a node, what typical pods could not use, expected over the mix. Built once for an outlook, then
// immutable; thread-safe; allocates nothing.
//
// A pod class finds all that is idle unusable when it asks for no card, for another model, for more
// processor than is left, or for more cards than have its share left; else those cards that have
// less left than its share. Main memory plays no part, as in the paper's own program.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scoring/fraction.h"
#include "scoring/outlook.h"

namespace aliquot::scoring {

class FragmentMeasure {
 public:
  // `classes`: the most frequent first. Typical are the shortest head of them that covers 95 %.
  explicit FragmentMeasure(const std::vector<PodClass>& classes);

  // Expected unusable idle percent, 2^-30. `left`: of each card; `cpu_milli`: left, below 0 where
  // nobody knows, and then none is short.
  std::int64_t Of(std::string_view model, const int* left, std::size_t cards,
                  std::int64_t cpu_milli) const;

 private:
  struct Typical {
    std::int64_t cpu_milli = 0;
    int cards = 0;
    int core = 0;
    Fraction popularity = 0;
    std::vector<std::string> models;
  };

  static std::int64_t Unusable(const Typical& pods, std::string_view model, const int* left,
                               std::size_t cards, std::int64_t cpu_milli);

  std::vector<Typical> typical_;
};

// floor(100 / (1 + e^(growth))) where `growth` is what a placement adds to the measure, in cards:
// the integer by which the paper's program ranks. `growth` in percent of a card, 2^-30.
int FragmentScore(std::int64_t growth);

}  // namespace aliquot::scoring
