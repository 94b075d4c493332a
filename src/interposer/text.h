// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Comparisons of zero-terminated strings, inline: the C library's may not be called while a symbol
// is looked up, since sanitizers replace them and look symbols up before theirs work.

namespace aliquot::interposer {

inline bool StartsWith(const char* text, const char* prefix) {
  for (; *prefix != '\0'; ++text, ++prefix) {
    if (*text != *prefix) {
      return false;
    }
  }
  return true;
}

inline int Compare(const char* a, const char* b) {
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return static_cast<unsigned char>(*a) - static_cast<unsigned char>(*b);
}

inline bool Equal(const char* a, const char* b) { return Compare(a, b) == 0; }

inline std::size_t Length(const char* text) {
  std::size_t length = 0;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

// What follows the last slash; all of it when there is none.
inline const char* BaseName(const char* path) {
  const char* base = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') {
      base = path + 1;
    }
  }
  return base;
}

}  // namespace aliquot::interposer
