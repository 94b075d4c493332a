// SPDX-License-Identifier: Apache-2.0
#include "scoring/fraction.h"

namespace aliquot::scoring {
namespace {

// ln 2 = 0.693147180559945..
constexpr Fraction kLn2 = 744261118;

// The whole part of the square root, digit by digit in base 2.
std::uint64_t SquareRoot(std::uint64_t x) {
  std::uint64_t root = 0;
  std::uint64_t bit = std::uint64_t{1} << 62;
  while (bit > x) {
    bit >>= 2;
  }
  for (; bit != 0; bit >>= 2) {
    if (x >= root + bit) {
      x -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
  }
  return root;
}

}  // namespace

// x = halvings * ln 2 + rest with a rest below ln 2, of which the series needs 12 terms.
Fraction ExpOfMinus(Fraction x) {
  const std::int64_t halvings = x / kLn2;
  if (halvings > kFractionBits) {
    return 0;
  }
  const Fraction rest = x - halvings * kLn2;
  Fraction sum = kOne;
  Fraction term = kOne;
  for (int i = 1; i <= 12; ++i) {
    term = -(term * rest / kOne) / i;
    sum += term;
  }
  return sum >> halvings;
}

Fraction ToThePowerOfOneAndAHalf(Fraction x) {
  const auto root =
      static_cast<Fraction>(SquareRoot(static_cast<std::uint64_t>(x) << kFractionBits));
  return x * root / kOne;
}

}  // namespace aliquot::scoring
