// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace aliquot::model {

// The labels of an object in one piece of memory: the ledger keeps them for every GPU pod. Plain
// value. The API server's rules leave neither '=' nor a line break in a key or a value; a pair that
// has one all the same is left out.
class Labels {
 public:
  void Add(std::string_view key, std::string_view value) {
    constexpr std::string_view kReserved = "=\n";
    if (key.find_first_of(kReserved) == std::string_view::npos &&
        value.find_first_of(kReserved) == std::string_view::npos) {
      text_.append(key).append(1, '=').append(value).append(1, '\n');
    }
  }

  // The value, or nothing. Of a key added twice the last holds.
  std::optional<std::string_view> Find(std::string_view key) const {
    std::optional<std::string_view> found;
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(line.size() + 1);
      if (line.size() > key.size() && line[key.size()] == '=' &&
          line.substr(0, key.size()) == key) {
        found = line.substr(key.size() + 1);
      }
    }
    return found;
  }

  bool empty() const { return text_.empty(); }
  friend bool operator==(const Labels& a, const Labels& b) { return a.text_ == b.text_; }

 private:
  std::string text_;  // "key=value\n" each
};

}  // namespace aliquot::model
