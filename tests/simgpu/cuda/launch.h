// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "tests/simgpu/cuda/driver.h"

// One launch of a kernel, on a stream or as a node of a graph.

namespace aliquot::simgpu {

struct KernelWork {
  CUfunction function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::uint64_t duration_ns = 0;
  std::vector<std::vector<std::uint8_t>> arguments;  // copied, as the driver does
  std::vector<void*> argument_places;                // into `arguments`
};

inline constexpr std::uint64_t kKernelNs = 2000;  // one that does not say how long it takes

// Checks the shape and reads the arguments.
CUresult ReadWork(const Entry& entry, KernelWork& work, void** parameters, void** extra);
// A kernel handle (cuLibraryGetKernel) stands for its function in the context.
CUfunction FunctionOfKernel(const Entry& entry, CUfunction handle);
CUresult LaunchOn(const Entry& entry, KernelWork& work, void** parameters, void** extra,
                  CUstream handle, bool per_thread);

}  // namespace aliquot::simgpu
