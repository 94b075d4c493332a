// SPDX-License-Identifier: Apache-2.0
#pragma once

// The driver's names that this library exports, as tools/generate-stubs.py writes them from
// names/*.txt and the hooks: a row each, sorted. Read-only but for the slots. Thread-safe.

namespace aliquot::interposer {

// The row of a name, or -1.
int FindRow(const char* name);
const char* RowName(int row);
// What this library exports under the name: the hook, or the stub that jumps to the driver.
void* RowFunction(int row);
bool RowIsHooked(int row);
// Where the driver's own function is kept once it is known; see ResolveFunction in hook.h.
void** RowSlot(int row);

// The rows with a hook, for a walk over them.
int HookedCount();
int HookedRow(int index);

// Whether a name is of the driver's kind, listed or newer: cuX.., cudbg.., nvmlX..
bool IsDriverName(const char* name);
bool IsNvmlName(const char* name);

}  // namespace aliquot::interposer
