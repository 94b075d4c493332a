// SPDX-License-Identifier: Apache-2.0
#include "scoring/mix_head.h"

#include <cstdint>

namespace aliquot::scoring {

std::size_t HeadOfMix(const std::vector<PodClass>& classes, int percent) {
  std::int64_t total = 0;
  for (const PodClass& each : classes) {
    total += each.weight;
  }
  std::int64_t covered = 0;
  std::size_t head = 0;
  while (head < classes.size() && classes[head].weight > 0 && covered * 100 < total * percent) {
    covered += classes[head++].weight;
  }
  return head;
}

}  // namespace aliquot::scoring
