// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tests/simgpu/cuda/array.h"
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/memory.h"

namespace aliquot::simgpu {
namespace {

// Where a side's bytes begin and how its rows and slices follow; `device` when the driver must know
// every byte of them.
struct Place {
  char* start = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
  bool device = false;
};

bool PlaceOf(CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, std::size_t x,
             std::size_t y, std::size_t z, std::size_t pitch, std::size_t height,
             const CUDA_MEMCPY3D& box, Place& place) {
  place.pitch = pitch == 0 ? box.WidthInBytes : pitch;
  std::size_t rows = height == 0 ? box.Height : height;
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      place.start = static_cast<char*>(const_cast<void*>(host));
      break;
    case CU_MEMORYTYPE_DEVICE:
    case CU_MEMORYTYPE_UNIFIED:
      place.start = reinterpret_cast<char*>(device);
      // A unified address that the driver does not know is the host's.
      place.device = type == CU_MEMORYTYPE_DEVICE || AddressSpace::Get().Find(device) != nullptr;
      break;
    case CU_MEMORYTYPE_ARRAY:
      if (!IsArray(array) || array->place == 0) {
        return false;
      }
      place.start = reinterpret_cast<char*>(array->place);
      place.pitch = array->pitch;
      rows = array->rows;
      place.device = true;
      break;
    default:
      return false;
  }
  place.slice = place.pitch * std::max<std::size_t>(rows, 1);
  place.start += z * place.slice + y * place.pitch + x;
  return place.start != nullptr && place.pitch >= box.WidthInBytes;
}

bool Within(const Place& place, const CUDA_MEMCPY3D& box) {
  const std::size_t rows = std::max<std::size_t>(box.Height, 1);
  const std::size_t slices = std::max<std::size_t>(box.Depth, 1);
  const std::size_t bytes =
      (slices - 1) * place.slice + (rows - 1) * place.pitch + box.WidthInBytes;
  return !place.device || DeviceBytes(reinterpret_cast<CUdeviceptr>(place.start), bytes);
}

}  // namespace

CUresult CopyBox(const CUDA_MEMCPY3D& box) {
  if (box.WidthInBytes == 0 || box.Height == 0 || box.Depth == 0) {
    return CUDA_SUCCESS;
  }
  Place from;
  Place to;
  if (!PlaceOf(box.srcMemoryType, box.srcHost, box.srcDevice, box.srcArray, box.srcXInBytes,
               box.srcY, box.srcZ, box.srcPitch, box.srcHeight, box, from) ||
      !PlaceOf(box.dstMemoryType, box.dstHost, box.dstDevice, box.dstArray, box.dstXInBytes,
               box.dstY, box.dstZ, box.dstPitch, box.dstHeight, box, to) ||
      !Within(from, box) || !Within(to, box)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t z = 0; z < box.Depth; ++z) {
    for (std::size_t y = 0; y < box.Height; ++y) {
      std::memmove(to.start + z * to.slice + y * to.pitch,
                   from.start + z * from.slice + y * from.pitch, box.WidthInBytes);
    }
  }
  return CUDA_SUCCESS;
}

CUresult FillRows(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element,
                  std::size_t width, std::size_t rows) {
  if (width == 0 || rows == 0) {
    return CUDA_SUCCESS;
  }
  if ((element != 1 && element != 2 && element != 4) || to % element != 0 ||
      !DeviceBytes(to, (rows - 1) * pitch + width * element)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t y = 0; y < rows; ++y) {
    char* const row = reinterpret_cast<char*>(to + y * pitch);
    if (element == 1) {
      std::memset(row, static_cast<int>(value), width);
      continue;
    }
    for (std::size_t x = 0; x < width; ++x) {
      std::memcpy(row + x * element, &value, element);
    }
  }
  return CUDA_SUCCESS;
}

CUDA_MEMCPY3D RowBox(const Side& to, const Side& from, std::size_t bytes) {
  CUDA_MEMCPY3D box = {};
  box.srcMemoryType = from.type;
  box.srcHost = from.host;
  box.srcDevice = from.device;
  box.srcArray = from.array;
  box.srcXInBytes = from.offset;
  box.dstMemoryType = to.type;
  box.dstHost = const_cast<void*>(to.host);
  box.dstDevice = to.device;
  box.dstArray = to.array;
  box.dstXInBytes = to.offset;
  box.WidthInBytes = bytes;
  box.Height = 1;
  box.Depth = 1;
  return box;
}

CUresult Copy(const Entry& entry, const CUDA_MEMCPY3D& box, CUstream handle, bool per_thread,
              bool waits) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return waits ? InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
                 : CaptureCopy(stream, box);
  }
  if (waits) {
    if (const CUresult answer = WaitBefore(entry, stream); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  return CopyBox(box);
}

}  // namespace aliquot::simgpu
