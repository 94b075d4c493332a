// SPDX-License-Identifier: Apache-2.0
#include "interposer/proc_address.h"

#include "interposer/driver.h"
#include "interposer/name_table.h"

namespace aliquot::interposer {
namespace {

bool all_known;

// Fills the slots of all hooked names once. What the driver lacks stays empty and never matches.
void LearnAddresses() {
  if (__atomic_load_n(&all_known, __ATOMIC_ACQUIRE)) {
    return;
  }
  for (int i = 0; i < HookedCount(); ++i) {
    const int row = HookedRow(i);
    if (IsNvmlName(RowName(row)) || __atomic_load_n(RowSlot(row), __ATOMIC_ACQUIRE) != nullptr) {
      continue;
    }
    if (void* const found = DriverFunction(RowName(row))) {
      __atomic_store_n(RowSlot(row), found, __ATOMIC_RELEASE);
    }
  }
  __atomic_store_n(&all_known, true, __ATOMIC_RELEASE);
}

}  // namespace

void* HookOfAddress(void* address) {
  if (address == nullptr) {
    return address;
  }
  LearnAddresses();
  for (int i = 0; i < HookedCount(); ++i) {
    const int row = HookedRow(i);
    if (__atomic_load_n(RowSlot(row), __ATOMIC_RELAXED) == address) {
      return RowFunction(row);
    }
  }
  return address;
}

}  // namespace aliquot::interposer
