// SPDX-License-Identifier: Apache-2.0
#include "model/quantity.h"

#include <algorithm>
#include <cstddef>

#include "absl/numeric/int128.h"
#include "base/strings.h"

namespace aliquot::model {
namespace {

// Digits that are kept of a number; the API server keeps at most 18. With them no product below
// leaves 128 bits.
constexpr int kMaxDigits = 18;
// A power of ten past these ends at the largest amount, or at less than one unit.
constexpr std::int64_t kMaxPowerOfTen = 18;

// digits * 10^ten * 2^two; `rest`: digits that were not kept were not all 0.
struct Number {
  std::int64_t digits = 0;
  std::int64_t ten = 0;
  int two = 0;
  bool rest = false;
  bool negative = false;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes the decimal number off the front of `text`.
std::optional<Number> TakeNumber(std::string_view& text) {
  Number number;
  std::size_t at = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    number.negative = text[0] == '-';
    at = 1;
  }
  bool any = false;
  bool fraction = false;
  int kept = 0;
  for (; at < text.size() && (IsDigit(text[at]) || (text[at] == '.' && !fraction)); ++at) {
    if (text[at] == '.') {
      fraction = true;
      continue;
    }
    any = true;
    if (kept == kMaxDigits) {
      number.rest = number.rest || text[at] != '0';
      number.ten += fraction ? 0 : 1;
      continue;
    }
    number.digits = number.digits * 10 + (text[at] - '0');
    kept += number.digits == 0 ? 0 : 1;
    number.ten -= fraction ? 1 : 0;
  }
  text.remove_prefix(at);
  return any ? std::optional<Number>(number) : std::nullopt;
}

// Multiplies by the suffix; false when it is none.
bool ApplySuffix(std::string_view suffix, Number& number) {
  constexpr std::string_view kDecimal = "num kMGTPE";  // 10^-9, 10^-6, .. 10^18
  constexpr std::string_view kBinary = "KMGTPE";
  if (suffix.empty()) {
    return true;
  }
  if (suffix.size() == 1 && suffix[0] != ' ') {
    const std::size_t place = kDecimal.find(suffix[0]);
    number.ten += (static_cast<std::int64_t>(place) - 3) * 3;
    return place != std::string_view::npos;
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t place = kBinary.find(suffix[0]);
    number.two = 10 * (static_cast<int>(place) + 1);
    return place != std::string_view::npos;
  }
  if (suffix[0] != 'e' && suffix[0] != 'E') {
    return false;
  }
  suffix.remove_prefix(1);
  const bool minus = !suffix.empty() && suffix[0] == '-';
  if (minus || (!suffix.empty() && suffix[0] == '+')) {
    suffix.remove_prefix(1);
  }
  const auto exponent = ParseUnsigned(suffix);
  if (!exponent) {
    return false;
  }
  const std::int64_t bounded = std::min<std::int64_t>(*exponent, 1000);
  number.ten += minus ? -bounded : bounded;
  return true;
}

absl::uint128 PowerOfTen(std::int64_t power) {
  absl::uint128 result = 1;
  for (; power > 0; --power) {
    result *= 10;
  }
  return result;
}

// The whole number nearest to it, above or below.
std::int64_t InUnits(const Number& number, Rounding rounding) {
  if (number.negative || (number.digits == 0 && !number.rest)) {
    return 0;
  }
  if (number.ten > kMaxPowerOfTen) {
    return kMaxHostAmount;
  }
  if (number.ten < -2 * kMaxPowerOfTen) {
    return rounding == Rounding::kUp ? 1 : 0;
  }
  // At most 10^18 * 10^18 < 2^120; shifts that could leave the 128 bits end earlier.
  absl::uint128 above = static_cast<absl::uint128>(number.digits) * PowerOfTen(number.ten);
  absl::uint128 below = PowerOfTen(-number.ten);
  if (number.two > 0) {
    if ((above >> (126 - number.two)) != 0) {
      return kMaxHostAmount;
    }
    above <<= number.two;
  } else {
    // 10^36 < 2^120: with a shift of 20 it would not fit. A divisor that large leaves nothing.
    if ((below >> (126 + number.two)) != 0) {
      return rounding == Rounding::kUp ? 1 : 0;
    }
    below <<= -number.two;
  }
  absl::uint128 units = above / below;
  if (rounding == Rounding::kUp && (number.rest || above % below != 0)) {
    units += 1;
  }
  return units > absl::uint128(kMaxHostAmount) ? kMaxHostAmount : static_cast<std::int64_t>(units);
}

std::optional<Number> Parse(std::string_view text) {
  std::optional<Number> number = TakeNumber(text);
  if (!number || !ApplySuffix(text, *number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<std::int64_t> CpuMilli(std::string_view text, Rounding rounding) {
  std::optional<Number> number = Parse(text);
  if (!number) {
    return std::nullopt;
  }
  number->ten += 3;
  return InUnits(*number, rounding);
}

std::optional<std::int64_t> MemoryMib(std::string_view text, Rounding rounding) {
  std::optional<Number> number = Parse(text);
  if (!number) {
    return std::nullopt;
  }
  number->two -= 20;
  return InUnits(*number, rounding);
}

}  // namespace aliquot::model
