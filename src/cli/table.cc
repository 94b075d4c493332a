// SPDX-License-Identifier: Apache-2.0
#include "cli/table.h"

#include <algorithm>
#include <cstddef>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

constexpr std::size_t kBetween = 3;
constexpr std::size_t kLongestCell = 400;

// Bytes of UTF-8 that begin a character: cells are padded by what is seen.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// The two largest units, as long as the first is small.
std::string Two(long long large, const char* large_unit, long long small, const char* small_unit) {
  std::string text = std::to_string(large) + large_unit;
  return small == 0 ? text : text + std::to_string(small) + small_unit;
}

}  // namespace

void Table::Add(std::vector<std::string> row) {
  row.resize(rows_.front().size());
  for (std::string& cell : row) {
    cell = cell.empty() ? "<none>" : Printable(cell, kLongestCell);
  }
  rows_.push_back(std::move(row));
}

std::string Table::Text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], Width(row[i]));
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) {
        text.append(widths[i] - Width(row[i]) + kBetween, ' ');
      }
    }
    text += '\n';
  }
  return text;
}

std::string AgeText(long long seconds) {
  seconds = std::max(seconds, 0LL);
  const long long minutes = seconds / 60;
  const long long hours = minutes / 60;
  const long long days = hours / 24;
  if (seconds < 120) {
    return std::to_string(seconds) + "s";
  }
  if (minutes < 10) {
    return Two(minutes, "m", seconds % 60, "s");
  }
  if (hours < 3) {
    return std::to_string(minutes) + "m";
  }
  if (hours < 8) {
    return Two(hours, "h", minutes % 60, "m");
  }
  if (days < 2) {
    return std::to_string(hours) + "h";
  }
  if (days < 8) {
    return Two(days, "d", hours % 24, "h");
  }
  if (days < 730) {
    return std::to_string(days) + "d";
  }
  return Two(days / 365, "y", days < 2920 ? days % 365 : 0, "d");
}

}  // namespace aliquot::cli
