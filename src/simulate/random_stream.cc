// SPDX-License-Identifier: Apache-2.0
#include "simulate/random_stream.h"

#include <cmath>
#include <numeric>

namespace aliquot::simulate {

double RandomStream::Exponential(double mean) { return -mean * std::log1p(-Unit()); }

std::vector<std::size_t> RandomStream::Permutation(std::size_t count) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Shuffle(order);
  return order;
}

}  // namespace aliquot::simulate
