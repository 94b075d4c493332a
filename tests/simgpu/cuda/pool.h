// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/memory.h"

// Memory pools. A pool takes memory of its card in pieces of 32 MiB and keeps what was freed until
// a wait finds more than its release threshold unused, or somebody trims it. Only bytes are
// reckoned: free room counts as one piece.

struct CUmemPoolHandle_st {
  int device = 0;
  int card = 0;
  bool standard = false;  // the device's default pool
  bool ended = false;     // destroyed while something of it was in use
  CUmemPoolProps properties = {};
  std::uint64_t threshold = 0;
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
  int reuse[3] = {1, 1, 1};  // follow event dependencies, opportunistic, internal dependencies
  bool imported = false;
  int file = -1;  // of a pool that can be shared: where its memory lies
  std::uint64_t file_bytes = 0;
  CUmemAccess_flags access[64] = {};
};

namespace aliquot::simgpu {

bool IsPool(CUmemoryPool pool);
CUmemoryPool DefaultPool(const Entry& entry, CUdevice device);
// The pool that allocations of the device without a pool come from.
CUmemoryPool CurrentPool(const Entry& entry, CUdevice device);

CUresult AllocateFromPool(const Entry& entry, CUmemoryPool pool, std::uint64_t bytes,
                          CUdeviceptr* pointer);
// A pool as the device's own ones are made.
CUmemoryPool NewPool(const Entry& entry, const CUmemPoolProps& properties);
// Of a range that came from a pool.
void FreeToPool(CUdeviceptr pointer);
// Gives unused memory above `keep` back to the card.
void TrimPool(const Entry& entry, CUmemoryPool pool, std::uint64_t keep);

}  // namespace aliquot::simgpu
