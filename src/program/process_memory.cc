// SPDX-License-Identifier: Apache-2.0
#include "program/process_memory.h"

#include <malloc.h>

namespace aliquot::program {

void PrepareMemory() {
  constexpr int kArenas = 2;
  constexpr int kMapFromBytes = 32 << 20;
  constexpr int kKeepFreeBytes = 16 << 20;
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kMapFromBytes);
  mallopt(M_TRIM_THRESHOLD, kKeepFreeBytes);
}

void PrepareLeanMemory() {
  constexpr int kArenas = 1;
  constexpr int kMapFromBytes = 64 << 10;
  constexpr int kKeepFreeBytes = 128 << 10;
  mallopt(M_ARENA_MAX, kArenas);
  mallopt(M_MMAP_THRESHOLD, kMapFromBytes);
  mallopt(M_TRIM_THRESHOLD, kKeepFreeBytes);
}

}  // namespace aliquot::program
