// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random draws that come out the same on every machine. std::mt19937_64 is fixed by the C++
// standard to the bit; the distributions of <random> are not, so the draws are written out here.
// Not thread-safe: one stream a run.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace aliquot::simulate {

class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : engine_(seed) {}

  // Uniform in 0 .. bound-1, without bias: the engine's numbers from the largest multiple of
  // `bound` up are drawn again. Pre: bound > 0.
  std::uint64_t Below(std::uint64_t bound) {
    const std::uint64_t excess = (UINT64_MAX % bound + 1) % bound;  // 2^64 mod bound
    std::uint64_t drawn = engine_();
    while (drawn > UINT64_MAX - excess) {
      drawn = engine_();
    }
    return drawn % bound;
  }

  // Uniform in [0, 1): the upper 53 bits of one number.
  double Unit() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  // Exponentially distributed, by inversion. Pre: mean > 0.
  double Exponential(double mean);

  // Fisher and Yates' shuffle, from the end: every order is equally likely.
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[static_cast<std::size_t>(Below(i))]);
    }
  }

  // 0 .. count-1 in random order.
  std::vector<std::size_t> Permutation(std::size_t count);

 private:
  std::mt19937_64 engine_;
};

}  // namespace aliquot::simulate
