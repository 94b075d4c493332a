// SPDX-License-Identifier: Apache-2.0
#include "cli/number_list.h"

#include <algorithm>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kMostSeeds = 1000;

Status BadSeeds(std::string_view text, const std::string& flag) {
  return InvalidArgument(flag + " is \"" + Printable(text) +
                         "\"; use numbers and ranges such as 42-51, at most " +
                         std::to_string(kMostSeeds) + ", each once");
}

}  // namespace

Result<topology::CardSet> ParseCardSet(std::string_view text, int cards, const std::string& flag) {
  topology::CardSet set = 0;
  if (text.empty()) {
    return set;
  }
  for (const std::string_view part : Split(text, ',')) {
    const auto card = ParseUnsigned(Trim(part));
    if (!card || *card >= cards) {
      return InvalidArgument(flag + " names card \"" + Printable(part) +
                             "\"; use numbers from 0 to " + std::to_string(cards - 1) +
                             ", comma separated");
    }
    const topology::CardSet bit = topology::CardBit(static_cast<int>(*card));
    if ((set & bit) != 0) {
      return InvalidArgument(flag + " names card " + std::to_string(*card) +
                             " twice; name each card once");
    }
    set |= bit;
  }
  return set;
}

Result<std::vector<std::uint64_t>> ParseSeeds(std::string_view text, const std::string& flag) {
  std::vector<std::uint64_t> seeds;
  for (const std::string_view part : Split(text, ',')) {
    const std::size_t dash = part.find('-');
    const auto first = ParseUnsigned(Trim(part.substr(0, dash)));
    const auto last =
        dash == std::string_view::npos ? first : ParseUnsigned(Trim(part.substr(dash + 1)));
    if (!first || !last || *last < *first ||
        *last - *first >= static_cast<std::int64_t>(kMostSeeds - seeds.size())) {
      return BadSeeds(text, flag);
    }
    // Counted from 0: the highest seed has no successor.
    for (std::int64_t i = 0; i <= *last - *first; ++i) {
      const auto number = static_cast<std::uint64_t>(*first + i);
      if (std::find(seeds.begin(), seeds.end(), number) != seeds.end()) {
        return BadSeeds(text, flag);
      }
      seeds.push_back(number);
    }
  }
  return seeds;
}

}  // namespace aliquot::cli
