// SPDX-License-Identifier: Apache-2.0
// Fills, each with both default streams.
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/copy.h"

namespace aliquot::simgpu {
namespace {

CUresult Fill(const Entry& entry, const CUDA_MEMSET_NODE_PARAMS& set, CUstream handle,
              bool per_thread, bool waits) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return waits ? InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)
                 : CaptureSet(stream, set);
  }
  if (waits) {
    if (const CUresult answer = WaitBefore(entry, stream); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  return FillRows(set.dst, set.pitch, set.value, set.elementSize, set.width, set.height);
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

#define SIM_FILL(bits, Value, suffix, async_suffix, per_thread)                                   \
  CUresult cuMemsetD##bits##_v2##suffix(CUdeviceptr to, Value value, std::size_t count) {         \
    SIM_ENTER(kContext);                                                                          \
    return Fill(entry, {to, 0, value, (bits) / 8, count, 1}, nullptr, per_thread, true);          \
  }                                                                                               \
  CUresult cuMemsetD2D##bits##_v2##suffix(CUdeviceptr to, std::size_t pitch, Value value,         \
                                          std::size_t width, std::size_t height) {                \
    SIM_ENTER(kContext);                                                                          \
    return Fill(entry, {to, pitch, value, (bits) / 8, width, height}, nullptr, per_thread, true); \
  }                                                                                               \
  CUresult cuMemsetD##bits##Async##async_suffix(CUdeviceptr to, Value value, std::size_t count,   \
                                                CUstream stream) {                                \
    SIM_ENTER(kContext);                                                                          \
    return Fill(entry, {to, 0, value, (bits) / 8, count, 1}, stream, per_thread, false);          \
  }                                                                                               \
  CUresult cuMemsetD2D##bits##Async##async_suffix(CUdeviceptr to, std::size_t pitch, Value value, \
                                                  std::size_t width, std::size_t height,          \
                                                  CUstream stream) {                              \
    SIM_ENTER(kContext);                                                                          \
    return Fill(entry, {to, pitch, value, (bits) / 8, width, height}, stream, per_thread, false); \
  }
SIM_FILL(8, unsigned char, , , false)
SIM_FILL(8, unsigned char, _ptds, _ptsz, true)
SIM_FILL(16, unsigned short, , , false)
SIM_FILL(16, unsigned short, _ptds, _ptsz, true)
SIM_FILL(32, unsigned, , , false)
SIM_FILL(32, unsigned, _ptds, _ptsz, true)

#define SIM_OLD_FILL(bits, Value)                                                            \
  CUresult cuMemsetD##bits(CUdeviceptr_v1 to, Value value, unsigned count) {                 \
    SIM_ENTER(kContext);                                                                     \
    return Fill(entry, {to, 0, value, (bits) / 8, count, 1}, nullptr, false, true);          \
  }                                                                                          \
  CUresult cuMemsetD2D##bits(CUdeviceptr_v1 to, unsigned pitch, Value value, unsigned width, \
                             unsigned height) {                                              \
    SIM_ENTER(kContext);                                                                     \
    return Fill(entry, {to, pitch, value, (bits) / 8, width, height}, nullptr, false, true); \
  }
SIM_OLD_FILL(8, unsigned char)
SIM_OLD_FILL(16, unsigned short)
SIM_OLD_FILL(32, unsigned)
