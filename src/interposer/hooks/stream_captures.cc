// SPDX-License-Identifier: Apache-2.0

// Counts the captures of streams that are under way: while there is one, launches ask whether their
// stream is captured. One that ends with its stream or context stays counted, which costs just
// that. The functions themselves pass through.

#include <cstddef>
#include <cstdint>

#include "interposer/cuda_launch_types.h"
#include "interposer/hook.h"
#include "interposer/launch_pacer.h"
#include "interposer/launch_state.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamIsCapturing,
                        (CUstream stream, CUstreamCaptureStatus* status));

namespace aliquot::interposer {
namespace {

bool IsCaptured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return ALIQUOT_REAL(cuStreamIsCapturing)(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Fewer(LaunchState& state) {
  std::uint32_t was = __atomic_load_n(&state.captures, __ATOMIC_RELAXED);
  while (was != 0 && !__atomic_compare_exchange_n(&state.captures, &was, was - 1, false,
                                                  __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

// Counted before the driver begins, so that no launch is taken for one that runs.
template <typename Call>
CUresult Beginning(Call call) {
  const HookScope scope;
  LaunchState* const state = scope.outermost() ? OwnLaunchState() : nullptr;
  if (state == nullptr) {
    return call();
  }
  __atomic_fetch_add(&state->captures, 1U, __ATOMIC_ACQ_REL);
  const CUresult result = call();
  if (result != CUDA_SUCCESS) {
    Fewer(*state);
  }
  return result;
}

// A capture that failed has ended too, but for one that the wrong stream tried to end.
template <typename Call>
CUresult Ending(CUstream stream, Call call) {
  const HookScope scope;
  LaunchState* const state = scope.outermost() ? OwnLaunchState() : nullptr;
  if (state == nullptr) {
    return call();
  }
  const bool before = IsCaptured(stream);
  const CUresult result = call();
  if (before && !IsCaptured(stream)) {
    Fewer(*state);
  }
  return result;
}

}  // namespace
}  // namespace aliquot::interposer

using aliquot::interposer::Beginning;
using aliquot::interposer::Ending;
using aliquot::interposer::LegacyStream;
using aliquot::interposer::PerThreadStream;

ALIQUOT_HOOK(CUresult, cuStreamBeginCapture, (CUstream stream)) {
  return Beginning([&] { return ALIQUOT_REAL(cuStreamBeginCapture)(stream); });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCapture_ptsz, (CUstream stream)) {
  return Beginning([&] { return ALIQUOT_REAL(cuStreamBeginCapture_ptsz)(stream); });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode)) {
  return Beginning([&] { return ALIQUOT_REAL(cuStreamBeginCapture_v2)(stream, mode); });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCapture_v2_ptsz, (CUstream stream, CUstreamCaptureMode mode)) {
  return Beginning([&] { return ALIQUOT_REAL(cuStreamBeginCapture_v2_ptsz)(stream, mode); });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCaptureToGraph,
             (CUstream stream, CUgraph graph, const CUgraphNode* dependencies,
              const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode)) {
  return Beginning([&] {
    return ALIQUOT_REAL(cuStreamBeginCaptureToGraph)(stream, graph, dependencies, edges, count,
                                                     mode);
  });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCaptureToGraph_ptsz,
             (CUstream stream, CUgraph graph, const CUgraphNode* dependencies,
              const CUgraphEdgeData* edges, std::size_t count, CUstreamCaptureMode mode)) {
  return Beginning([&] {
    return ALIQUOT_REAL(cuStreamBeginCaptureToGraph_ptsz)(stream, graph, dependencies, edges, count,
                                                          mode);
  });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginRecaptureToGraph,
             (CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
              CUgraphRecaptureCallback callback, void* data)) {
  return Beginning([&] {
    return ALIQUOT_REAL(cuStreamBeginRecaptureToGraph)(stream, mode, graph, callback, data);
  });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginRecaptureToGraph_ptsz,
             (CUstream stream, CUstreamCaptureMode mode, CUgraph graph,
              CUgraphRecaptureCallback callback, void* data)) {
  return Beginning([&] {
    return ALIQUOT_REAL(cuStreamBeginRecaptureToGraph_ptsz)(stream, mode, graph, callback, data);
  });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCaptureToCig,
             (CUstream stream, CUstreamCigCaptureParams* parameters)) {
  return Beginning([&] { return ALIQUOT_REAL(cuStreamBeginCaptureToCig)(stream, parameters); });
}

ALIQUOT_HOOK(CUresult, cuStreamBeginCaptureToCig_ptsz,
             (CUstream stream, CUstreamCigCaptureParams* parameters)) {
  return Beginning(
      [&] { return ALIQUOT_REAL(cuStreamBeginCaptureToCig_ptsz)(stream, parameters); });
}

ALIQUOT_HOOK(CUresult, cuStreamEndCapture, (CUstream stream, CUgraph* graph)) {
  return Ending(LegacyStream(stream),
                [&] { return ALIQUOT_REAL(cuStreamEndCapture)(stream, graph); });
}

ALIQUOT_HOOK(CUresult, cuStreamEndCapture_ptsz, (CUstream stream, CUgraph* graph)) {
  return Ending(PerThreadStream(stream),
                [&] { return ALIQUOT_REAL(cuStreamEndCapture_ptsz)(stream, graph); });
}

ALIQUOT_HOOK(CUresult, cuStreamEndCaptureToCig, (CUstream stream)) {
  return Ending(LegacyStream(stream),
                [&] { return ALIQUOT_REAL(cuStreamEndCaptureToCig)(stream); });
}

ALIQUOT_HOOK(CUresult, cuStreamEndCaptureToCig_ptsz, (CUstream stream)) {
  return Ending(PerThreadStream(stream),
                [&] { return ALIQUOT_REAL(cuStreamEndCaptureToCig_ptsz)(stream); });
}
