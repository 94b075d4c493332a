// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

// A compiler may call these four even where no library is used. They are this object's own, hidden:
// a sanitizer's replacements must not be entered before the sanitizer has set itself up.

extern "C" {

__attribute__((visibility("hidden"))) void* memcpy(void* to, const void* from, std::size_t size) {
  void* const result = to;
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
  return result;
}

__attribute__((visibility("hidden"))) void* memset(void* to, int value, std::size_t size) {
  void* const result = to;
  asm volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}

__attribute__((visibility("hidden"))) void* memmove(void* to, const void* from, std::size_t size) {
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  if (target <= source) {
    return memcpy(to, from, size);
  }
  for (std::size_t i = size; i > 0; --i) {
    target[i - 1] = source[i - 1];
    asm volatile("" : : : "memory");  // keeps the loop from becoming a call of memmove
  }
  return to;
}

__attribute__((visibility("hidden"))) int memcmp(const void* a, const void* b, std::size_t size) {
  const unsigned char* const left = static_cast<const unsigned char*>(a);
  const unsigned char* const right = static_cast<const unsigned char*>(b);
  for (std::size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) {
      return left[i] - right[i];
    }
  }
  return 0;
}

}  // extern "C"
