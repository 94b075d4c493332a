// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <cstddef>

namespace aliquot {
namespace {

// Bytes that follow a first byte of UTF-8 (RFC 3629), or -1.
int Following(unsigned char first) {
  if (first < 0x80) {
    return 0;
  }
  if (first >= 0xc2 && first <= 0xdf) {
    return 1;
  }
  if (first >= 0xe0 && first <= 0xef) {
    return 2;
  }
  return first >= 0xf0 && first <= 0xf4 ? 3 : -1;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const int following = Following(first);
    if (following < 0 || text.size() - at <= static_cast<std::size_t>(following)) {
      return false;
    }
    for (int i = 1; i <= following; ++i) {
      const auto next = static_cast<unsigned char>(text[at + static_cast<std::size_t>(i)]);
      // The second byte is where overlong forms, surrogates and what is past U+10FFFF show.
      const unsigned char low = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
      const unsigned char high = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) {
        return false;
      }
    }
    at += static_cast<std::size_t>(following) + 1;
  }
  return true;
}

}  // namespace aliquot
