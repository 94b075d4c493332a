// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "tests/simgpu/cuda/driver.h"

// Copies and fills: the bytes really move, at once. What comes before on the stream is waited for
// by the synchronous calls; the others need no wait, since no kernel touches memory.

namespace aliquot::simgpu {

// One box of bytes from one side to the other, as cuMemcpy3D has it.
CUresult CopyBox(const CUDA_MEMCPY3D& box);
CUresult FillRows(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element,
                  std::size_t width, std::size_t rows);

// A copy as a call makes it: waits, captures or goes on.
CUresult Copy(const Entry& entry, const CUDA_MEMCPY3D& box, CUstream stream, bool per_thread,
              bool waits);

// One side of a box.
struct Side {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  std::size_t offset;
};
inline Side HostSide(const void* host) { return {CU_MEMORYTYPE_HOST, host, 0, nullptr, 0}; }
inline Side DeviceSide(CUdeviceptr device) {
  return {CU_MEMORYTYPE_DEVICE, nullptr, device, nullptr, 0};
}
inline Side ArraySide(CUarray array, std::size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset};
}
inline Side UnifiedSide(CUdeviceptr device) {
  return {CU_MEMORYTYPE_UNIFIED, nullptr, device, nullptr, 0};
}
// A row of bytes between two sides.
CUDA_MEMCPY3D RowBox(const Side& to, const Side& from, std::size_t bytes);
// A box of two dimensions, of either generation of the structure.
template <typename Old>
CUDA_MEMCPY3D FlatBox(const Old& old) {
  CUDA_MEMCPY3D box = {};
  box.srcXInBytes = old.srcXInBytes;
  box.srcY = old.srcY;
  box.srcMemoryType = old.srcMemoryType;
  box.srcHost = old.srcHost;
  box.srcDevice = old.srcDevice;
  box.srcArray = old.srcArray;
  box.srcPitch = old.srcPitch;
  box.dstXInBytes = old.dstXInBytes;
  box.dstY = old.dstY;
  box.dstMemoryType = old.dstMemoryType;
  box.dstHost = old.dstHost;
  box.dstDevice = old.dstDevice;
  box.dstArray = old.dstArray;
  box.dstPitch = old.dstPitch;
  box.WidthInBytes = old.WidthInBytes;
  box.Height = old.Height;
  box.Depth = 1;
  return box;
}

}  // namespace aliquot::simgpu
