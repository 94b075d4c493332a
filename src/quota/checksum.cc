// SPDX-License-Identifier: Apache-2.0
#include "quota/checksum.h"

namespace aliquot::quota {

std::uint64_t Checksum(const void* bytes, std::size_t size) {
  constexpr std::uint64_t kOffsetBasis = 0xcbf29ce484222325;
  constexpr std::uint64_t kPrime = 0x100000001b3;
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t sum = kOffsetBasis;
  for (std::size_t i = 0; i < size; ++i) {
    sum = (sum ^ at[i]) * kPrime;
  }
  return sum;
}

}  // namespace aliquot::quota
