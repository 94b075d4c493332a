// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fractions of one as whole numbers of 2^-30, for the tables of the expected mix. Whole numbers, so
// that every machine and compiler gets the same ranks. Pure, thread-safe.

#include <cstdint>

namespace aliquot::scoring {

using Fraction = std::int64_t;
inline constexpr int kFractionBits = 30;
inline constexpr Fraction kOne = Fraction{1} << kFractionBits;

// part / whole, rounded down. Pre: 0 <= part < 2^33, whole > 0.
inline Fraction FractionOf(std::int64_t part, std::int64_t whole) {
  return (part << kFractionBits) / whole;
}
// value * fraction, rounded down. Pre: the product of both numbers stays below 2^63.
inline std::int64_t Times(std::int64_t value, Fraction fraction) {
  return value * fraction >> kFractionBits;
}

// part / whole, rounded to the nearest. Pre: part >= 0, whole > 0.
inline std::int64_t Rounded(std::int64_t part, std::int64_t whole) {
  return (part + whole / 2) / whole;
}

// e^-x. Pre: x >= 0. Within 2^-26.
Fraction ExpOfMinus(Fraction x);

}  // namespace aliquot::scoring
