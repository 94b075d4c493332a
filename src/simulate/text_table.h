// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text in columns for people: the first column to the left, the others to the right. ASCII.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace aliquot::simulate {

// With that many digits after the point.
std::string FormatFixed(double value, int digits);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { Add(std::move(header)); }

  // Pre: as many cells as the header has.
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // One line a row.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace aliquot::simulate
