// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace aliquot::bench {

// Samples of one figure in microseconds.
class Percentiles {
 public:
  void Add(double microseconds) { samples_.push_back(microseconds); }
  bool empty() const { return samples_.empty(); }
  // The sample below which `fraction` of them lie (nearest rank). Pre: not empty.
  double At(double fraction) const;
  // {"p50":..,"p99":..,"max":..}, rounded to a tenth of a microsecond.
  nlohmann::json ToJson() const;

 private:
  std::vector<double> samples_;
};

}  // namespace aliquot::bench
