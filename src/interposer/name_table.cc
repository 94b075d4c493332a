// SPDX-License-Identifier: Apache-2.0
#include "interposer/name_table.h"

#include <cstdint>

#include "interposer/text.h"

// Written into stubs.S. Offsets instead of pointers: nothing to relocate in each process.
extern "C" {
struct AliquotRow {
  std::uint32_t name;     // from aliquot_names
  std::int32_t function;  // from aliquot_rows
};
__attribute__((visibility("hidden"))) extern const AliquotRow aliquot_rows[];
__attribute__((visibility("hidden"))) extern const std::uint32_t aliquot_row_count;
__attribute__((visibility("hidden"))) extern const char aliquot_names[];
__attribute__((visibility("hidden"))) extern const std::uint16_t aliquot_hooked[];
__attribute__((visibility("hidden"))) extern const std::uint32_t aliquot_hooked_count;
__attribute__((visibility("hidden"))) extern void* aliquot_slots[];
}

namespace aliquot::interposer {

const char* RowName(int row) { return aliquot_names + aliquot_rows[row].name; }

void* RowFunction(int row) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(aliquot_rows) +
                                 static_cast<std::intptr_t>(aliquot_rows[row].function));
}

void** RowSlot(int row) { return &aliquot_slots[row]; }

int FindRow(const char* name) {
  int low = 0;
  int high = static_cast<int>(aliquot_row_count);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const int order = Compare(name, RowName(middle));
    if (order == 0) {
      return middle;
    }
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return -1;
}

int HookedCount() { return static_cast<int>(aliquot_hooked_count); }
int HookedRow(int index) { return aliquot_hooked[index]; }

bool RowIsHooked(int row) {
  int low = 0;
  int high = HookedCount();
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (aliquot_hooked[middle] < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < HookedCount() && aliquot_hooked[low] == row;
}

bool IsNvmlName(const char* name) {
  return StartsWith(name, "nvml") && name[4] >= 'A' && name[4] <= 'Z';
}

bool IsDriverName(const char* name) {
  if (name[0] == 'c') {
    return name[1] == 'u' && ((name[2] >= 'A' && name[2] <= 'Z') || StartsWith(name, "cudbg"));
  }
  return name[0] == 'n' && IsNvmlName(name);
}

}  // namespace aliquot::interposer
