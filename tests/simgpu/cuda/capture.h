// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/launch.h"

// What calls on a capturing stream become: nodes of a graph.

namespace aliquot::simgpu {

// Pre for all: the stream captures (for CaptureWait: the stream or the event does).
CUresult CaptureKernel(CUstream stream, const KernelWork& work);
CUresult CaptureCopy(CUstream stream, const CUDA_MEMCPY3D& copy);
CUresult CaptureSet(CUstream stream, const CUDA_MEMSET_NODE_PARAMS& set);
CUresult CaptureHost(CUstream stream, const CUDA_HOST_NODE_PARAMS& host);
CUresult CaptureGraph(CUstream stream, const CUgraph_st& graph);
CUresult CaptureEvent(CUstream stream, CUevent event);
CUresult CaptureWait(CUstream stream, CUevent event);
// A node that allocates; the memory is the graph's.
CUresult CaptureAllocation(const Entry& entry, CUstream stream, CUmemoryPool pool,
                           std::uint64_t bytes, CUdeviceptr* pointer);
CUresult CaptureFree(const Entry& entry, CUstream stream, CUdeviceptr pointer);
// Whether the calling thread may make a call that a capture could not keep apart from itself
// (allocating, waiting, asking an event); if not, the captures that forbid it become invalid.
CUresult CheckUnsafe();
// What a capture cannot hold makes it invalid; `answer` is handed back.
CUresult InvalidateCapture(CUstream stream, CUresult answer);

// Frees memory that a graph allocated, outside of any graph.
CUresult FreeGraphMemory(const Entry& entry, CUdeviceptr pointer);

}  // namespace aliquot::simgpu
