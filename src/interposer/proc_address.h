// SPDX-License-Identifier: Apache-2.0
#pragma once

// For functions that the driver hands out by address (cuGetProcAddress): which of them have a hook.

namespace aliquot::interposer {

// This library's function for exactly that function of the driver; the address itself for every
// other one. Thread-safe.
void* HookOfAddress(void* address);

}  // namespace aliquot::interposer
