// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aliquot::simgpu {

// One row of what cuGetProcAddress hands out, generated (tests/simgpu/generate_names.py). Sorted by
// name, then per-thread or not, then version.
struct ProcAddress {
  const char* name;  // base name
  int version;       // first CUDA version with it
  bool per_thread;
  void* address;
};
extern const ProcAddress kProcAddresses[];
extern const int kProcAddressCount;

}  // namespace aliquot::simgpu
