// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::program {

// What is wrong with a file or with the flags: every problem, not only the first, each one line
// that says where ("allocator.yaml:12", "--tls-cert") and in one sentence what. Not thread-safe.
class Problems {
 public:
  // A file with a mistake on every line does not need them all.
  static constexpr std::size_t kMost = 100;

  void Add(std::string_view where, std::string_view sentence);
  bool empty() const { return count_ == 0; }
  // How many were added; `lines` holds at most kMost of them and then says so.
  std::size_t count() const { return count_; }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  std::vector<std::string> lines_;
  std::size_t count_ = 0;
};

}  // namespace aliquot::program
