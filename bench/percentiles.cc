// SPDX-License-Identifier: Apache-2.0
#include "bench/percentiles.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace aliquot::bench {

double Percentiles::At(double fraction) const {
  std::vector<double> sorted = samples_;
  std::sort(sorted.begin(), sorted.end());
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::min(sorted.size() - 1, rank == 0 ? 0 : rank - 1)];
}

nlohmann::json Percentiles::ToJson() const {
  const auto rounded = [](double value) { return std::round(value * 10) / 10; };
  return {{"p50", rounded(At(0.50))}, {"p99", rounded(At(0.99))}, {"max", rounded(At(1.0))}};
}

}  // namespace aliquot::bench
