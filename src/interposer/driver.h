// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVIDIA's own libraries, opened at the first question: libcuda.so.1 for cu* and cudbg* names,
// libnvidia-ml.so.1 for nvml*. They stay open. A library that is not there is looked for again at
// the next question. Thread-safe without a lock: two threads that open at once get one handle.

namespace aliquot::interposer {

// The handle that the name's library has in the loader, or null: there is none.
void* DriverHandle(const char* name);
// The same if it is open already; never opens it.
void* OpenDriverHandle(const char* name);
// The driver's own function, or null.
void* DriverFunction(const char* name);

}  // namespace aliquot::interposer
