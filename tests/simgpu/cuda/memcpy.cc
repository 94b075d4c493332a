// SPDX-License-Identifier: Apache-2.0
// Copies of every kind, each with both default streams.
#include "tests/simgpu/cuda/copy.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

CUDA_MEMCPY3D PeerBox(const CUDA_MEMCPY3D_PEER& peer) {
  CUDA_MEMCPY3D box = FlatBox(peer);
  box.srcZ = peer.srcZ;
  box.srcHeight = peer.srcHeight;
  box.dstZ = peer.dstZ;
  box.dstHeight = peer.dstHeight;
  box.Depth = peer.Depth;
  return box;
}

CUresult CopyBoxOf(const Entry& entry, const CUDA_MEMCPY3D* box, CUstream stream, bool per_thread,
                   bool waits) {
  return box == nullptr ? CUDA_ERROR_INVALID_VALUE : Copy(entry, *box, stream, per_thread, waits);
}

}  // namespace

#define SIM_ROW(to, from, bytes, stream, per_thread, waits) \
  SIM_ENTER(kContext);                                      \
  return Copy(entry, RowBox(to, from, bytes), stream, per_thread, waits)

#define SIM_COPIES(suffix, per_thread)                                                          \
  CUresult cuMemcpy##suffix(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {              \
    SIM_ROW(UnifiedSide(to), UnifiedSide(from), bytes, nullptr, per_thread, true);              \
  }                                                                                             \
  CUresult cuMemcpyPeer##suffix(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,         \
                                std::size_t bytes) {                                            \
    SIM_ROW(DeviceSide(to), DeviceSide(from), bytes, nullptr, per_thread, true);                \
  }                                                                                             \
  CUresult cuMemcpyHtoD_v2##suffix(CUdeviceptr to, const void* from, std::size_t bytes) {       \
    SIM_ROW(DeviceSide(to), HostSide(from), bytes, nullptr, per_thread, true);                  \
  }                                                                                             \
  CUresult cuMemcpyDtoH_v2##suffix(void* to, CUdeviceptr from, std::size_t bytes) {             \
    SIM_ROW(HostSide(to), DeviceSide(from), bytes, nullptr, per_thread, true);                  \
  }                                                                                             \
  CUresult cuMemcpyDtoD_v2##suffix(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {       \
    SIM_ROW(DeviceSide(to), DeviceSide(from), bytes, nullptr, per_thread, true);                \
  }                                                                                             \
  CUresult cuMemcpyDtoA_v2##suffix(CUarray to, std::size_t offset, CUdeviceptr from,            \
                                   std::size_t bytes) {                                         \
    SIM_ROW(ArraySide(to, offset), DeviceSide(from), bytes, nullptr, per_thread, true);         \
  }                                                                                             \
  CUresult cuMemcpyAtoD_v2##suffix(CUdeviceptr to, CUarray from, std::size_t offset,            \
                                   std::size_t bytes) {                                         \
    SIM_ROW(DeviceSide(to), ArraySide(from, offset), bytes, nullptr, per_thread, true);         \
  }                                                                                             \
  CUresult cuMemcpyHtoA_v2##suffix(CUarray to, std::size_t offset, const void* from,            \
                                   std::size_t bytes) {                                         \
    SIM_ROW(ArraySide(to, offset), HostSide(from), bytes, nullptr, per_thread, true);           \
  }                                                                                             \
  CUresult cuMemcpyAtoH_v2##suffix(void* to, CUarray from, std::size_t offset,                  \
                                   std::size_t bytes) {                                         \
    SIM_ROW(HostSide(to), ArraySide(from, offset), bytes, nullptr, per_thread, true);           \
  }                                                                                             \
  CUresult cuMemcpyAtoA_v2##suffix(CUarray to, std::size_t to_offset, CUarray from,             \
                                   std::size_t from_offset, std::size_t bytes) {                \
    SIM_ROW(ArraySide(to, to_offset), ArraySide(from, from_offset), bytes, nullptr, per_thread, \
            true);                                                                              \
  }                                                                                             \
  CUresult cuMemcpy2D_v2##suffix(const CUDA_MEMCPY2D* box) {                                    \
    SIM_ENTER(kContext);                                                                        \
    return box == nullptr ? CUDA_ERROR_INVALID_VALUE                                            \
                          : Copy(entry, FlatBox(*box), nullptr, per_thread, true);              \
  }                                                                                             \
  CUresult cuMemcpy2DUnaligned_v2##suffix(const CUDA_MEMCPY2D* box) {                           \
    SIM_ENTER(kContext);                                                                        \
    return box == nullptr ? CUDA_ERROR_INVALID_VALUE                                            \
                          : Copy(entry, FlatBox(*box), nullptr, per_thread, true);              \
  }                                                                                             \
  CUresult cuMemcpy3D_v2##suffix(const CUDA_MEMCPY3D* box) {                                    \
    SIM_ENTER(kContext);                                                                        \
    return CopyBoxOf(entry, box, nullptr, per_thread, true);                                    \
  }                                                                                             \
  CUresult cuMemcpy3DPeer##suffix(const CUDA_MEMCPY3D_PEER* box) {                              \
    SIM_ENTER(kContext);                                                                        \
    return box == nullptr ? CUDA_ERROR_INVALID_VALUE                                            \
                          : Copy(entry, PeerBox(*box), nullptr, per_thread, true);              \
  }
SIM_COPIES(, false)
SIM_COPIES(_ptds, true)

#define SIM_ASYNC_COPIES(suffix, per_thread)                                                 \
  CUresult cuMemcpyAsync##suffix(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,        \
                                 CUstream stream) {                                          \
    SIM_ROW(UnifiedSide(to), UnifiedSide(from), bytes, stream, per_thread, false);           \
  }                                                                                          \
  CUresult cuMemcpyPeerAsync##suffix(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, \
                                     std::size_t bytes, CUstream stream) {                   \
    SIM_ROW(DeviceSide(to), DeviceSide(from), bytes, stream, per_thread, false);             \
  }                                                                                          \
  CUresult cuMemcpyHtoDAsync_v2##suffix(CUdeviceptr to, const void* from, std::size_t bytes, \
                                        CUstream stream) {                                   \
    SIM_ROW(DeviceSide(to), HostSide(from), bytes, stream, per_thread, false);               \
  }                                                                                          \
  CUresult cuMemcpyDtoHAsync_v2##suffix(void* to, CUdeviceptr from, std::size_t bytes,       \
                                        CUstream stream) {                                   \
    SIM_ROW(HostSide(to), DeviceSide(from), bytes, stream, per_thread, false);               \
  }                                                                                          \
  CUresult cuMemcpyDtoDAsync_v2##suffix(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, \
                                        CUstream stream) {                                   \
    SIM_ROW(DeviceSide(to), DeviceSide(from), bytes, stream, per_thread, false);             \
  }                                                                                          \
  CUresult cuMemcpyHtoAAsync_v2##suffix(CUarray to, std::size_t offset, const void* from,    \
                                        std::size_t bytes, CUstream stream) {                \
    SIM_ROW(ArraySide(to, offset), HostSide(from), bytes, stream, per_thread, false);        \
  }                                                                                          \
  CUresult cuMemcpyAtoHAsync_v2##suffix(void* to, CUarray from, std::size_t offset,          \
                                        std::size_t bytes, CUstream stream) {                \
    SIM_ROW(HostSide(to), ArraySide(from, offset), bytes, stream, per_thread, false);        \
  }                                                                                          \
  CUresult cuMemcpy2DAsync_v2##suffix(const CUDA_MEMCPY2D* box, CUstream stream) {           \
    SIM_ENTER(kContext);                                                                     \
    return box == nullptr ? CUDA_ERROR_INVALID_VALUE                                         \
                          : Copy(entry, FlatBox(*box), stream, per_thread, false);           \
  }                                                                                          \
  CUresult cuMemcpy3DAsync_v2##suffix(const CUDA_MEMCPY3D* box, CUstream stream) {           \
    SIM_ENTER(kContext);                                                                     \
    return CopyBoxOf(entry, box, stream, per_thread, false);                                 \
  }                                                                                          \
  CUresult cuMemcpy3DPeerAsync##suffix(const CUDA_MEMCPY3D_PEER* box, CUstream stream) {     \
    SIM_ENTER(kContext);                                                                     \
    return box == nullptr ? CUDA_ERROR_INVALID_VALUE                                         \
                          : Copy(entry, PeerBox(*box), stream, per_thread, false);           \
  }
SIM_ASYNC_COPIES(, false)
SIM_ASYNC_COPIES(_ptsz, true)

// Of CUDA 2, with addresses of 32 bits.
#define SIM_OLD_ROW(name, To, to, From, from)                                                 \
  CUresult name(To, From, unsigned bytes) { SIM_ROW(to, from, bytes, nullptr, false, true); } \
  CUresult name##Async(To, From, unsigned bytes, CUstream stream) {                           \
    SIM_ROW(to, from, bytes, stream, false, false);                                           \
  }
SIM_OLD_ROW(cuMemcpyHtoD, CUdeviceptr_v1 to, DeviceSide(to), const void* from, HostSide(from))
SIM_OLD_ROW(cuMemcpyDtoH, void* to, HostSide(to), CUdeviceptr_v1 from, DeviceSide(from))
SIM_OLD_ROW(cuMemcpyDtoD, CUdeviceptr_v1 to, DeviceSide(to), CUdeviceptr_v1 from, DeviceSide(from))

CUresult cuMemcpy2D(const CUDA_MEMCPY2D_v1* box) {
  SIM_ENTER(kContext);
  return box == nullptr ? CUDA_ERROR_INVALID_VALUE
                        : Copy(entry, FlatBox(*box), nullptr, false, true);
}

CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D_v1* box) {
  SIM_ENTER(kContext);
  return box == nullptr ? CUDA_ERROR_INVALID_VALUE
                        : Copy(entry, FlatBox(*box), nullptr, false, true);
}

CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D_v1* box, CUstream stream) {
  SIM_ENTER(kContext);
  return box == nullptr ? CUDA_ERROR_INVALID_VALUE
                        : Copy(entry, FlatBox(*box), stream, false, false);
}
