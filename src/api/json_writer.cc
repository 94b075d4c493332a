// SPDX-License-Identifier: Apache-2.0
#include "api/json_writer.h"

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace aliquot::api {

namespace {

constexpr std::uint64_t kEachByte = 0x0101010101010101;
constexpr std::uint64_t kHighBits = 0x8080808080808080;

// Sets the high bit of each byte of the result where a byte of `word` is zero; bits above the first
// such byte may be wrong, so only "none" and "some" are read from it.
constexpr std::uint64_t ZeroBytes(std::uint64_t word) {
  return (word - kEachByte) & ~word & kHighBits;
}

// Whether eight bytes may stand in a JSON string as they are: 0x20 to 0x7e, no quote, no backslash.
// DEL is legal too, but 0x7f + 1 carries into the high bit, which spares a test.
constexpr bool IsPlainWord(std::uint64_t word) {
  const std::uint64_t too_low = (word - kEachByte * 0x20) & ~word;
  const std::uint64_t too_high = word | (word + kEachByte);
  return ((too_low | too_high) & kHighBits) == 0 && ZeroBytes(word ^ (kEachByte * '"')) == 0 &&
         ZeroBytes(word ^ (kEachByte * '\\')) == 0;
}

}  // namespace

bool IsPlainJsonText(std::string_view text) {
  // Eight bytes at a time: a reply for 5,000 nodes has some 300 KB of names and reasons.
  std::uint64_t word = 0;
  std::size_t at = 0;
  for (; at + sizeof(word) <= text.size(); at += sizeof(word)) {
    std::memcpy(&word, text.data() + at, sizeof(word));
    if (!IsPlainWord(word)) {
      return false;
    }
  }
  word = kEachByte * ' ';
  std::memcpy(&word, text.data() + at, text.size() - at);
  return IsPlainWord(word);
}

void AppendJsonString(std::string& out, std::string_view text) {
  // Nearly all of our text is plain; only the rest pays for a general writer.
  if (IsPlainJsonText(text)) {
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
