// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interposer/share_load.h"

// Which processes NVML lists in the container: its own, and no other's. Pure; templates over NVML's
// rows, which all have a pid.

namespace aliquot::interposer {

// The slot of a process of that number; null when it is none of the container's.
inline const SlotLook* SlotOf(const ShareLook& look, std::uint32_t pid) {
  for (const SlotLook& slot : look.slot) {
    if (pid != 0 && slot.pid == pid) {
      return &slot;
    }
  }
  return nullptr;
}

inline bool UsesCard(const SlotLook& slot) {
  return slot.pid != 0 && (slot.bytes > 0 || slot.launches > 0);
}

template <typename Row>
bool Lists(const Row* rows, unsigned count, std::uint32_t pid) {
  for (unsigned i = 0; i < count; ++i) {
    if (rows[i].pid == pid) {
      return true;
    }
  }
  return false;
}

// Keeps the rows of the container's processes at the front; returns how many.
template <typename Row>
unsigned KeepOwnRows(const ShareLook& look, Row* rows, unsigned count) {
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (SlotOf(look, rows[i].pid) != nullptr) {
      rows[kept++] = rows[i];
    }
  }
  return kept;
}

// Whether the driver's numbers of processes are the container's: then it lists everyone who is
// known to use the card.
template <typename Row>
bool NumbersAreOurs(const ShareLook& look, const Row* rows, unsigned count) {
  for (const SlotLook& slot : look.slot) {
    if (UsesCard(slot) && !Lists(rows, count, slot.pid)) {
      return false;
    }
  }
  return true;
}

}  // namespace aliquot::interposer
