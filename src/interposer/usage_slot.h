// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "quota/usage_region.h"

// This process's place in the container's usage file: the mapping, a slot whose lock lives as long
// as the process's memory does, and the clearing of slots whose owners are gone. By FORMAT.md, "Who
// owns a slot".
//
// The lock belongs to an open file description that only a mapping keeps alive, and a fork does not
// inherit the mapping: so it goes when the address space goes (exit, kill, exec) and not before,
// whatever the program closes. A fork of another thread that falls between the opening of the file
// and its closing a few microseconds later passes the descriptor on; the slot is then free only
// once that child has ended or called exec as well.
//
// A file that the container cuts short ends its own processes with SIGBUS.

namespace aliquot::interposer {

// The file, mapped for this process alone (no child inherits it). Null: it is not there, not of
// this format, or can't be mapped.
quota::UsageRegion* MapUsage(const char* path);

// A region of this process alone, for when there is no usable file. Null: no memory.
quota::UsageRegion* PrivateUsage();

enum class ClaimResult {
  kClaimed,
  kNoneFree,     // as many processes as slots
  kDoesNotHold,  // on this file system a mapping does not keep a lock (overlayfs): nothing can be
                 // shared through it
};

// The lowest free slot, emptied, with this process's number in it. `slot` is set when claimed.
ClaimResult ClaimSlot(const char* path, quota::UsageRegion& region, int& slot);

// Empties every slot but `own` that holds something and has no owner; how many.
int ClearDeadSlots(const char* path, quota::UsageRegion& region, int own);

}  // namespace aliquot::interposer
