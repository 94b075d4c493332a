// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <charconv>

namespace aliquot {

std::optional<std::int64_t> ParseUnsigned(std::string_view text) {
  if (text.empty() || text.front() < '0' || text.front() > '9') {
    return std::nullopt;
  }
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [parsed_to, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || parsed_to != end) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t at = text.find(separator, start);
    if (at == std::string_view::npos) {
      parts.push_back(text.substr(start));
      return parts;
    }
    parts.push_back(text.substr(start, at - start));
    start = at + 1;
  }
}

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string Join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      joined += separator;
    }
    joined += parts[i];
  }
  return joined;
}

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string Printable(std::string_view text, std::size_t limit) {
  const bool cut = text.size() > limit;
  std::string safe(text.substr(0, limit));
  for (std::size_t i = 0; i < safe.size(); ++i) {
    const auto byte = static_cast<unsigned char>(safe[i]);
    // U+0080 to U+009F in UTF-8: terminals take them for controls, as xterm does U+009B for ESC [.
    const bool wide = byte == 0xc2 && i + 1 < safe.size() &&
                      (static_cast<unsigned char>(safe[i + 1]) & 0xe0U) == 0x80;
    if (byte < 0x20 || byte == 0x7f) {
      safe[i] = '?';
    } else if (wide) {
      safe.replace(i, 2, "?");
    }
  }
  if (cut) {
    safe += "...";
  }
  return safe;
}

}  // namespace aliquot
