// SPDX-License-Identifier: Apache-2.0
// Graphs whose nodes allocate (graph_memory.h). Their launches are hooked with the other launches.
#include "interposer/graph_memory.h"
#include "interposer/memory_calls.h"

namespace aliquot::interposer {
namespace {

template <typename Driver>
CUresult Instantiate(CUgraphExec* exec, CUgraph graph, Driver driver) {
  const HookScope scope;
  const CUresult result = driver();
  if (scope.outermost() && result == CUDA_SUCCESS && Enforced()) {
    GraphInstantiated(*exec, graph);
  }
  return result;
}

template <typename Driver>
CUresult InstantiateWith(CUgraphExec* exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params,
                         Driver driver) {
  if (params == nullptr || (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) == 0) {
    return Instantiate(exec, graph, driver);
  }
  const HookScope scope;
  if (exec == nullptr || !scope.outermost() || !Enforced()) {
    return driver();
  }
  GraphMemory memory(graph);
  if (!memory.admitted()) {
    params->hErrNode_out = nullptr;
    params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = driver();
  memory.Instantiated(result, result == CUDA_SUCCESS ? *exec : nullptr, graph);
  return result;
}

template <typename Driver>
CUresult Update(CUgraphExec exec, CUgraph graph, Driver driver) {
  const HookScope scope;
  const CUresult result = driver();
  if (scope.outermost() && result == CUDA_SUCCESS && Enforced()) {
    GraphUpdated(exec, graph);
  }
  return result;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuGraphInstantiate,
             (CUgraphExec * exec, CUgraph graph, CUgraphNode* error, char* log, std::size_t size)) {
  return ours::Instantiate(
      exec, graph, [&] { return ALIQUOT_REAL(cuGraphInstantiate)(exec, graph, error, log, size); });
}

ALIQUOT_HOOK(CUresult, cuGraphInstantiate_v2,
             (CUgraphExec * exec, CUgraph graph, CUgraphNode* error, char* log, std::size_t size)) {
  return ours::Instantiate(exec, graph, [&] {
    return ALIQUOT_REAL(cuGraphInstantiate_v2)(exec, graph, error, log, size);
  });
}

ALIQUOT_HOOK(CUresult, cuGraphInstantiateWithFlags,
             (CUgraphExec * exec, CUgraph graph, unsigned long long flags)) {
  return ours::Instantiate(
      exec, graph, [&] { return ALIQUOT_REAL(cuGraphInstantiateWithFlags)(exec, graph, flags); });
}

ALIQUOT_HOOK(CUresult, cuGraphInstantiateWithParams,
             (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params)) {
  return ours::InstantiateWith(exec, graph, params, [&] {
    return ALIQUOT_REAL(cuGraphInstantiateWithParams)(exec, graph, params);
  });
}

ALIQUOT_HOOK(CUresult, cuGraphInstantiateWithParams_ptsz,
             (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params)) {
  return ours::InstantiateWith(exec, graph, params, [&] {
    return ALIQUOT_REAL(cuGraphInstantiateWithParams_ptsz)(exec, graph, params);
  });
}

ALIQUOT_HOOK(CUresult, cuGraphExecUpdate,
             (CUgraphExec exec, CUgraph graph, CUgraphNode* error, int* why)) {
  return ours::Update(exec, graph,
                      [&] { return ALIQUOT_REAL(cuGraphExecUpdate)(exec, graph, error, why); });
}

ALIQUOT_HOOK(CUresult, cuGraphExecUpdate_v2,
             (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* why)) {
  return ours::Update(exec, graph,
                      [&] { return ALIQUOT_REAL(cuGraphExecUpdate_v2)(exec, graph, why); });
}

ALIQUOT_HOOK(CUresult, cuGraphExecDestroy, (CUgraphExec exec)) {
  const ours::HookScope scope;
  if (!scope.outermost() || !ours::Enforced()) {
    return ALIQUOT_REAL(cuGraphExecDestroy)(exec);
  }
  ours::GraphExecEnd end(exec);
  const CUresult result = ALIQUOT_REAL(cuGraphExecDestroy)(exec);
  end.Ended(result);
  return result;
}

ALIQUOT_HOOK(CUresult, cuDeviceGraphMemTrim, (CUdevice device)) {
  const ours::HookScope scope;
  const CUresult result = ALIQUOT_REAL(cuDeviceGraphMemTrim)(device);
  if (scope.outermost() && result == CUDA_SUCCESS && ours::Enforced()) {
    ours::GraphMemoryTrimmed(device);
  }
  return result;
}
