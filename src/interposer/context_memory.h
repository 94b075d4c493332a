// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/cuda_types.h"

// A context that ends takes its allocations with it: linear memory and arrays. Physical memory and
// pools belong to the device and stay. Pre for all: Enforced(), the outermost hook.

namespace aliquot::interposer {

// Before the driver is asked, the entries are marked with the context's address plus one: a new
// context may get the same address at once, and its allocations are then told apart.
class ContextMemoryEnd {
 public:
  // null: nothing to do.
  explicit ContextMemoryEnd(CUcontext context);
  // Whether the driver has ended it.
  void Ended(bool ended);

 private:
  const std::uint64_t handle_;
};

bool PrimaryContextIsActive(CUdevice device);
// Null: there is none just now.
CUcontext PrimaryContextOf(CUdevice device);

}  // namespace aliquot::interposer
