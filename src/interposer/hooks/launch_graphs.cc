// SPDX-License-Identifier: Apache-2.0

// Launches of executable graphs: one launch, however many kernels it holds; what a graph launches
// from the card itself is part of its time. Memory that its nodes allocate is charged here too, at
// the first launch or upload.

#include "interposer/container.h"
#include "interposer/cuda_launch_types.h"
#include "interposer/graph_memory.h"
#include "interposer/hook.h"
#include "interposer/launch_pacer.h"

namespace aliquot::interposer {
namespace {

// A launch into a stream that captures becomes a node of another graph: it allocates then.
bool Runs(CUstream stream) {
  LaunchState* const state = OwnLaunchState();
  return state != nullptr && !Capturing(*state, stream);
}

template <typename Call>
CUresult Uploading(CUgraphExec graph, CUstream stream, Call call) {
  const HookScope scope;
  if (!scope.outermost() || !Enforced() || !Runs(stream)) {
    return call();
  }
  GraphMemory memory(graph);
  if (!memory.admitted()) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = call();
  memory.Launched(result);
  return result;
}

template <typename Call>
CUresult Launching(CUgraphExec graph, CUstream stream, Call call) {
  return Paced({graph, {}, stream, true}, [&] {
    if (!Enforced() || !Runs(stream)) {
      return call();
    }
    GraphMemory memory(graph);
    if (!memory.admitted()) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    const CUresult result = call();
    memory.Launched(result);
    return result;
  });
}

}  // namespace
}  // namespace aliquot::interposer

using aliquot::interposer::Launching;
using aliquot::interposer::LegacyStream;
using aliquot::interposer::PerThreadStream;
using aliquot::interposer::Uploading;

ALIQUOT_HOOK(CUresult, cuGraphLaunch, (CUgraphExec graph, CUstream stream)) {
  return Launching(graph, LegacyStream(stream),
                   [&] { return ALIQUOT_REAL(cuGraphLaunch)(graph, stream); });
}

ALIQUOT_HOOK(CUresult, cuGraphLaunch_ptsz, (CUgraphExec graph, CUstream stream)) {
  return Launching(graph, PerThreadStream(stream),
                   [&] { return ALIQUOT_REAL(cuGraphLaunch_ptsz)(graph, stream); });
}

ALIQUOT_HOOK(CUresult, cuGraphUpload, (CUgraphExec graph, CUstream stream)) {
  return Uploading(graph, LegacyStream(stream),
                   [&] { return ALIQUOT_REAL(cuGraphUpload)(graph, stream); });
}

ALIQUOT_HOOK(CUresult, cuGraphUpload_ptsz, (CUgraphExec graph, CUstream stream)) {
  return Uploading(graph, PerThreadStream(stream),
                   [&] { return ALIQUOT_REAL(cuGraphUpload_ptsz)(graph, stream); });
}
