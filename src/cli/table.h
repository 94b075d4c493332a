// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns as kubectl prints them: upper-case names, three spaces between, no lines. Control
// characters of cells are replaced, since they may come from anybody's pod. Pure.

#include <string>
#include <vector>

namespace aliquot::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  // As many cells as the header has; an empty one is shown as <none>.
  void Add(std::vector<std::string> row);
  std::size_t size() const { return rows_.size() - 1; }
  // A line each, the header first.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// How long ago, as kubectl writes it: 45s, 12m, 5h20m, 3d4h, 45d, 2y11d. Below zero is 0s.
std::string AgeText(long long seconds);

}  // namespace aliquot::cli
