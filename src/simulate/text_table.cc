// SPDX-License-Identifier: Apache-2.0
#include "simulate/text_table.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace aliquot::simulate {

std::string FormatFixed(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return std::string(text.data(), static_cast<std::size_t>(std::clamp(length, 0, 63)));
}

std::string TextTable::Text() const {
  std::vector<std::size_t> widths(rows_.front().size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      const bool last = i + 1 == row.size();
      text += i == 0 ? "" : "  ";
      if (i == 0 || (last && words_last_)) {
        text += row[i] + (last ? "" : blanks);
      } else {
        text += blanks + row[i];
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace aliquot::simulate
