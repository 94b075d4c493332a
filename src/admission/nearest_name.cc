// SPDX-License-Identifier: Apache-2.0
#include "admission/nearest_name.h"

#include <algorithm>
#include <numeric>

namespace aliquot::admission {
namespace {

constexpr std::size_t kMaxEdits = 3;

// Levenshtein's distance, one row at a time.
std::size_t Edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view NearestName(std::string_view text, const std::vector<std::string_view>& names) {
  std::string_view nearest;
  std::size_t fewest = kMaxEdits + 1;
  for (const std::string_view name : names) {
    // Lengths that differ by more need more edits; it also bounds the work for a long key.
    const std::size_t difference =
        text.size() > name.size() ? text.size() - name.size() : name.size() - text.size();
    if (difference > kMaxEdits) {
      continue;
    }
    const std::size_t edits = Edits(text, name);
    if (edits < fewest) {
      fewest = edits;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace aliquot::admission
