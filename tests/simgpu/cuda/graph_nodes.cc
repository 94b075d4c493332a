// SPDX-License-Identifier: Apache-2.0
// Nodes of each kind, and what they hold.
#include <cstring>

#include "tests/simgpu/cuda/graph.h"
#include "tests/simgpu/cuda/memory.h"

namespace aliquot::simgpu {

CUresult SetKernel(const Entry& entry, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2& params) {
  KernelWork work;
  work.function = params.func != nullptr ? params.func : reinterpret_cast<CUfunction>(params.kern);
  const unsigned grid[3] = {params.gridDimX, params.gridDimY, params.gridDimZ};
  const unsigned block[3] = {params.blockDimX, params.blockDimY, params.blockDimZ};
  std::memcpy(work.grid, grid, sizeof(grid));
  std::memcpy(work.block, block, sizeof(block));
  work.shared_bytes = params.sharedMemBytes;
  const CUresult answer = ReadWork(entry, work, params.kernelParams, params.extra);
  if (answer == CUDA_SUCCESS) {
    node->kernel = std::move(work);
  }
  return answer;
}

CUresult SetChild(CUgraphNode node, CUgraph child) {
  if (!IsGraph(child) || child == node->graph) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraph const made = NewGraph();
  std::unique_ptr<CUgraph_st> copy = CopyGraph(*child);
  made->nodes.swap(copy->nodes);
  made->next_node = copy->next_node;
  made->in_node = true;
  for (const auto& each : made->nodes) {
    each->graph = made;
  }
  delete node->child;
  node->child = made;
  return CUDA_SUCCESS;
}

CUresult SetAllocation(const Entry& entry, CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS& params) {
  if (params.bytesize == 0 || params.poolProps.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      params.poolProps.location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
      !entry.driver().Valid(params.poolProps.location.id)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  params.dptr = MapPages(RoundUp(params.bytesize, kGranule), true);
  if (params.dptr == 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  node->allocation = params;
  node->allocation.accessDescs = nullptr;
  node->allocation.accessDescCount = 0;
  return CUDA_SUCCESS;
}

namespace {

// A new node whose parameters `set` reads; gone again when they are bad.
template <typename Set>
CUresult Add(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
             CUgraphNodeType type, const Set& set) {
  if (made == nullptr || !IsGraph(graph) || (count != 0 && dependencies == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraphNode const node = AddNode(graph, type, dependencies, count);
  if (node == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = set(node);
  if (answer != CUDA_SUCCESS) {
    graph->nodes.pop_back();
    return answer;
  }
  *made = node;
  return CUDA_SUCCESS;
}

CUDA_KERNEL_NODE_PARAMS_v2 Newer(const CUDA_KERNEL_NODE_PARAMS_v1& old) {
  CUDA_KERNEL_NODE_PARAMS_v2 params = {};
  std::memcpy(&params, &old, sizeof(old));
  return params;
}

CUDA_KERNEL_NODE_PARAMS_v2 ParamsOf(CUgraphNode node) {
  CUDA_KERNEL_NODE_PARAMS_v2 params = {};
  KernelWork& work = node->kernel;
  params.func = work.function;
  params.gridDimX = work.grid[0];
  params.gridDimY = work.grid[1];
  params.gridDimZ = work.grid[2];
  params.blockDimX = work.block[0];
  params.blockDimY = work.block[1];
  params.blockDimZ = work.block[2];
  params.sharedMemBytes = work.shared_bytes;
  params.kernelParams = work.argument_places.data();
  return params;
}

CUresult SetAny(const Entry& entry, CUgraphNode node, CUgraphNodeParams& params) {
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      CUDA_KERNEL_NODE_PARAMS_v2 kernel = {};
      static_assert(sizeof(kernel) == sizeof(params.kernel));
      std::memcpy(&kernel, &params.kernel, sizeof(kernel));
      return SetKernel(entry, node, kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      node->copy = params.memcpy.copyParams;
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      node->set = {params.memset.dst,         params.memset.pitch, params.memset.value,
                   params.memset.elementSize, params.memset.width, params.memset.height};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_HOST:
      node->host = {params.host.fn, params.host.userData};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return SetChild(node, params.graph.graph);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      node->event = params.eventWait.event;
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      node->event = params.eventRecord.event;
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      CUDA_MEM_ALLOC_NODE_PARAMS allocation = {};
      static_assert(sizeof(allocation) == sizeof(params.alloc));
      std::memcpy(&allocation, &params.alloc, sizeof(allocation));
      const CUresult answer = SetAllocation(entry, node, allocation);
      params.alloc.dptr = allocation.dptr;
      return answer;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      node->freed = params.free.dptr;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult AddAny(const Entry& entry, CUgraphNode* made, CUgraph graph,
                const CUgraphNode* dependencies, std::size_t count, CUgraphNodeParams* params) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Add(made, graph, dependencies, count, params->type,
             [&](CUgraphNode node) { return SetAny(entry, node, *params); });
}

// The node when it is one of that type.
bool Is(CUgraphNode node, CUgraphNodeType type) { return IsNode(node) && node->type == type; }

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

#define SIM_ADD_NODE(type, set)                                                                   \
  SIM_ENTER(kContext);                                                                            \
  return Add(made, graph, dependencies, count, CU_GRAPH_NODE_TYPE_##type, [&](CUgraphNode node) { \
    (void)node;                                                                                   \
    set;                                                                                          \
    return CUDA_SUCCESS;                                                                          \
  })
#define SIM_NODE_HEAD \
  CUgraphNode *made, CUgraph graph, const CUgraphNode *dependencies, std::size_t count

CUresult cuGraphAddKernelNode_v2(SIM_NODE_HEAD, const CUDA_KERNEL_NODE_PARAMS* params) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(KERNEL, return SetKernel(entry, node, *params));
}

CUresult cuGraphAddKernelNode(SIM_NODE_HEAD, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(KERNEL, return SetKernel(entry, node, Newer(*params)));
}

CUresult cuGraphAddMemcpyNode(SIM_NODE_HEAD, const CUDA_MEMCPY3D* params, CUcontext) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(MEMCPY, node->copy = *params);
}

CUresult cuGraphAddMemsetNode(SIM_NODE_HEAD, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(MEMSET, node->set = *params);
}

CUresult cuGraphAddHostNode(SIM_NODE_HEAD, const CUDA_HOST_NODE_PARAMS* params) {
  if (params == nullptr || params->fn == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(HOST, node->host = *params);
}

CUresult cuGraphAddChildGraphNode(SIM_NODE_HEAD, CUgraph child) {
  SIM_ADD_NODE(GRAPH, return SetChild(node, child));
}

CUresult cuGraphAddEmptyNode(SIM_NODE_HEAD) { SIM_ADD_NODE(EMPTY, ); }

CUresult cuGraphAddEventRecordNode(SIM_NODE_HEAD, CUevent event) {
  SIM_ADD_NODE(EVENT_RECORD, node->event = event);
}

CUresult cuGraphAddEventWaitNode(SIM_NODE_HEAD, CUevent event) {
  SIM_ADD_NODE(WAIT_EVENT, node->event = event);
}

CUresult cuGraphAddMemAllocNode(SIM_NODE_HEAD, CUDA_MEM_ALLOC_NODE_PARAMS* params) {
  if (params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  SIM_ADD_NODE(MEM_ALLOC, return SetAllocation(entry, node, *params));
}

CUresult cuGraphAddMemFreeNode(SIM_NODE_HEAD, CUdeviceptr pointer) {
  SIM_ADD_NODE(MEM_FREE, node->freed = pointer);
}

CUresult cuGraphAddNode(SIM_NODE_HEAD, CUgraphNodeParams* params) {
  SIM_ENTER(kContext);
  return AddAny(entry, made, graph, dependencies, count, params);
}

CUresult cuGraphAddNode_v2(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData*, std::size_t count, CUgraphNodeParams* params) {
  SIM_ENTER(kContext);
  return AddAny(entry, made, graph, dependencies, count, params);
}

CUresult cuGraphAddNode_v3(CUgraphNode* made, CUgraph graph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData*, std::size_t count, CUgraphNodeParams* params) {
  SIM_ENTER(kContext);
  return AddAny(entry, made, graph, dependencies, count, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams* params) {
  SIM_ENTER(kContext);
  if (params == nullptr || !IsNode(node) || node->type != params->type ||
      node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return SetAny(entry, node, *params);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params) {
  SIM_ENTER(kContext);
  if (params == nullptr || !Is(node, CU_GRAPH_NODE_TYPE_KERNEL)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *params = ParamsOf(node);
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1* params) {
  SIM_ENTER(kContext);
  if (params == nullptr || !Is(node, CU_GRAPH_NODE_TYPE_KERNEL)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUDA_KERNEL_NODE_PARAMS_v2 newer = ParamsOf(node);
  std::memcpy(params, &newer, sizeof(*params));
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params) {
  SIM_ENTER(kContext);
  return params != nullptr && Is(node, CU_GRAPH_NODE_TYPE_KERNEL) ? SetKernel(entry, node, *params)
                                                                  : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1* params) {
  SIM_ENTER(kContext);
  return params != nullptr && Is(node, CU_GRAPH_NODE_TYPE_KERNEL)
             ? SetKernel(entry, node, Newer(*params))
             : CUDA_ERROR_INVALID_VALUE;
}

#define SIM_NODE_GETTER(name, type, Params, what)                    \
  CUresult name(CUgraphNode node, Params* params) {                  \
    SIM_ENTER(kContext);                                             \
    if (params == nullptr || !Is(node, CU_GRAPH_NODE_TYPE_##type)) { \
      return CUDA_ERROR_INVALID_VALUE;                               \
    }                                                                \
    *params = node->what;                                            \
    return CUDA_SUCCESS;                                             \
  }
SIM_NODE_GETTER(cuGraphMemcpyNodeGetParams, MEMCPY, CUDA_MEMCPY3D, copy)
SIM_NODE_GETTER(cuGraphMemsetNodeGetParams, MEMSET, CUDA_MEMSET_NODE_PARAMS, set)
SIM_NODE_GETTER(cuGraphHostNodeGetParams, HOST, CUDA_HOST_NODE_PARAMS, host)
SIM_NODE_GETTER(cuGraphMemAllocNodeGetParams, MEM_ALLOC, CUDA_MEM_ALLOC_NODE_PARAMS, allocation)
SIM_NODE_GETTER(cuGraphMemFreeNodeGetParams, MEM_FREE, CUdeviceptr, freed)
SIM_NODE_GETTER(cuGraphChildGraphNodeGetGraph, GRAPH, CUgraph, child)
SIM_NODE_GETTER(cuGraphEventRecordNodeGetEvent, EVENT_RECORD, CUevent, event)
SIM_NODE_GETTER(cuGraphEventWaitNodeGetEvent, WAIT_EVENT, CUevent, event)
