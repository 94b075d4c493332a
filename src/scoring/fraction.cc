// SPDX-License-Identifier: Apache-2.0
#include "scoring/fraction.h"

namespace aliquot::scoring {
namespace {

// ln 2 = 0.693147180559945..
constexpr Fraction kLn2 = 744261118;

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

}  // namespace aliquot::scoring
