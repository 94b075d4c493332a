// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot::observability {

// Builds one JSON object on one line. Keys are literals of ours and written as they are; values may
// be anything: control characters, quotes and backslashes are escaped, bytes that are not UTF-8
// become U+FFFD. Not thread-safe; a value per line.
class JsonLine {
 public:
  JsonLine() : text_("{") { text_.reserve(320); }

  void AddText(std::string_view key, std::string_view value);
  void AddInteger(std::string_view key, std::int64_t value);
  void AddFlag(std::string_view key, bool value);
  // Milliseconds with three decimals; a negative time counts as none.
  void AddMilliseconds(std::string_view key, std::chrono::nanoseconds value);

  // Closes the object; nothing may be added after.
  std::string Finish() &&;

 private:
  void AddKey(std::string_view key);

  std::string text_;
};

}  // namespace aliquot::observability
