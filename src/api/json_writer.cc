// SPDX-License-Identifier: Apache-2.0
#include "api/json_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aliquot::api {

void AppendJsonString(std::string& out, std::string_view text) {
  // Nearly all of our text is plain; only the rest pays for a general writer.
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
  });
  if (plain) {
    out += '"';
    out += text;
    out += '"';
    return;
  }
  out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string_view CutAtCharacter(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) {
    return text;
  }
  // A continuation byte is 10xxxxxx: step back to the start of the character it belongs to.
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80) {
    --limit;
  }
  return text.substr(0, limit);
}

}  // namespace aliquot::api
