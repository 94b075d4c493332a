// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text in columns for people. ASCII.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace aliquot::simulate {

// With that many digits after the point.
std::string FormatFixed(double value, int digits);

class TextTable {
 public:
  // The first column stands to the left, the others to the right, but a last column of words
  // (`words_last`) to the left too.
  explicit TextTable(std::vector<std::string> header, bool words_last = false)
      : words_last_(words_last) {
    Add(std::move(header));
  }

  // Pre: as many cells as the header has.
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // One line a row.
  std::string Text() const;

 private:
  const bool words_last_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace aliquot::simulate
