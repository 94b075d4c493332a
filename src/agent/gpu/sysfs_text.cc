// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_text.h"

#include <charconv>
#include <fstream>

#include "base/strings.h"

namespace aliquot::agent {

std::optional<std::string> ReadSysfsText(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return std::nullopt;
  }
  std::string text(64 << 10, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) {
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  return std::string(Trim(text));
}

std::optional<int> ReadSysfsNumber(const std::string& path) {
  const std::optional<std::string> text = ReadSysfsText(path);
  if (!text || text->empty()) {
    return std::nullopt;
  }
  int number = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return number;
}

}  // namespace aliquot::agent
