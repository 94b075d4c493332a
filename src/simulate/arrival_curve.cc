// SPDX-License-Identifier: Apache-2.0
#include "simulate/arrival_curve.h"

#include <algorithm>
#include <cmath>

namespace aliquot::simulate {

void ArrivalCurve::Add(double arrived_percent, double value) {
  const auto percent = static_cast<std::size_t>(std::floor(arrived_percent + 0.5));
  if (percent >= sums_.size()) {
    sums_.resize(percent + 1);
  }
  sums_[percent].total += value;
  ++sums_[percent].count;
}

std::optional<double> ArrivalCurve::At(std::size_t percent) const {
  if (percent >= sums_.size() || sums_[percent].count == 0) {
    return std::nullopt;
  }
  return sums_[percent].total / static_cast<double>(sums_[percent].count);
}

std::optional<double> ArrivalCurve::AtOrBefore(std::size_t percent) const {
  for (std::size_t i = std::min(percent + 1, sums_.size()); i > 0; --i) {
    if (const auto value = At(i - 1)) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::simulate
