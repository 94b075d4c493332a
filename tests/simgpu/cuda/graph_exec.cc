// SPDX-License-Identifier: Apache-2.0
// Instances of graphs: made, changed and launched.
#include <algorithm>
#include <unordered_set>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/copy.h"
#include "tests/simgpu/cuda/graph.h"
#include "tests/simgpu/cuda/host_function.h"

namespace aliquot::simgpu {
namespace {

// A launch queues at most so many pieces, so that a large graph does not fill its stream.
constexpr std::size_t kMostPieces = 256;

std::unordered_set<CUgraphExec>& Execs() {
  static auto* const execs = new std::unordered_set<CUgraphExec>;
  return *execs;
}

CUresult Instantiate(const Entry& entry, CUgraphExec* exec, CUgraph graph,
                     unsigned long long flags) {
  if (exec == nullptr || !IsGraph(graph)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto* const made = new CUgraphExec_st;
  made->graph = CopyGraph(*graph);
  made->context = entry.context();
  made->flags = flags;
  Execs().insert(made);
  *exec = made;
  return CUDA_SUCCESS;
}

void CollectKernels(const CUgraph_st& graph, std::vector<std::uint64_t>& durations) {
  for (const auto& node : graph.nodes) {
    if (node->type == CU_GRAPH_NODE_TYPE_KERNEL && node->enabled) {
      durations.push_back(node->kernel.duration_ns);
    } else if (node->child != nullptr) {
      CollectKernels(*node->child, durations);
    }
  }
}

CUresult RunNode(const Entry& entry, const CUgraphNode_st& node, CUstream stream);

CUresult RunNodes(const Entry& entry, const CUgraph_st& graph, CUstream stream) {
  for (const auto& node : graph.nodes) {
    if (!node->enabled) {
      continue;
    }
    if (const CUresult answer = RunNode(entry, *node, stream); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  return CUDA_SUCCESS;
}

// Everything of a node but GPU time.
CUresult RunNode(const Entry& entry, const CUgraphNode_st& node, CUstream stream) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return CopyBox(node.copy);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return FillRows(node.set.dst, node.set.pitch, node.set.value, node.set.elementSize,
                      node.set.width, node.set.height);
    case CU_GRAPH_NODE_TYPE_HOST:
      return CallLater(entry, stream, node.host.fn, node.host.userData);
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return RunNodes(entry, *node.child, stream);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return RunAllocation(entry, node);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return FreeGraphMemory(entry, node.freed);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return cuEventRecord(node.event, stream == stream->context->null_stream ? nullptr : stream);
    default:
      return CUDA_SUCCESS;
  }
}

CUresult Launch(const Entry& entry, CUgraphExec exec, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (!IsExec(exec) || stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return CaptureGraph(stream, *exec->graph);
  }
  if (HasLiveMemory(*exec->graph)) {
    if ((exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH) == 0) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    FreeLiveMemory(entry, *exec->graph);
  }
  const int card = stream->context->card;
  if (!ReserveGraphMemory(entry, card, PeakBytes(*exec->graph))) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  std::vector<std::uint64_t> durations;
  CollectKernels(*exec->graph, durations);
  const std::size_t together = (durations.size() + kMostPieces - 1) / kMostPieces;
  for (std::size_t i = 0; i < durations.size(); i += together) {
    std::uint64_t sum = 0;
    for (std::size_t k = i; k < std::min(i + together, durations.size()); ++k) {
      sum += durations[k];
    }
    if (const CUresult answer = Enqueue(entry, stream, sum); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  return RunNodes(entry, *exec->graph, stream);
}

CUresult Upload(const Entry& entry, CUgraphExec exec, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (!IsExec(exec) || stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return ReserveGraphMemory(entry, stream->context->card, PeakBytes(*exec->graph))
             ? CUDA_SUCCESS
             : CUDA_ERROR_OUT_OF_MEMORY;
}

// The same kinds of nodes in the same order with the same edges.
bool SameShape(const CUgraph_st& a, const CUgraph_st& b) {
  if (a.nodes.size() != b.nodes.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    const CUgraphNode_st& left = *a.nodes[i];
    const CUgraphNode_st& right = *b.nodes[i];
    if (left.type != right.type || left.dependencies.size() != right.dependencies.size() ||
        left.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
        (left.child != nullptr && !SameShape(*left.child, *right.child))) {
      return false;
    }
  }
  return true;
}

CUresult Update(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResult* result) {
  if (!IsExec(exec) || !IsGraph(graph) || result == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!SameShape(*exec->graph, *graph)) {
    *result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  }
  *result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  exec->graph = CopyGraph(*graph);
  return CUDA_SUCCESS;
}

CUgraphNode NodeOf(CUgraphExec exec, CUgraphNode node, CUgraphNodeType type) {
  CUgraphNode const own = IsExec(exec) ? NodeInCopy(*exec->graph, node) : nullptr;
  return own != nullptr && own->type == type ? own : nullptr;
}

}  // namespace

bool IsExec(CUgraphExec exec) { return Execs().count(exec) != 0; }

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuGraphInstantiate(CUgraphExec* exec, CUgraph graph, CUgraphNode*, char*, std::size_t) {
  SIM_ENTER(kContext);
  return Instantiate(entry, exec, graph, 0);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* exec, CUgraph graph, CUgraphNode*, char*, std::size_t) {
  SIM_ENTER(kContext);
  return Instantiate(entry, exec, graph, 0);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long flags) {
  SIM_ENTER(kContext);
  return Instantiate(entry, exec, graph, flags);
}

#define SIM_GRAPH_CALLS(suffix, per_thread)                                                     \
  CUresult cuGraphInstantiateWithParams##suffix(CUgraphExec* exec, CUgraph graph,               \
                                                CUDA_GRAPH_INSTANTIATE_PARAMS* params) {        \
    SIM_ENTER(kContext);                                                                        \
    if (params == nullptr) {                                                                    \
      return CUDA_ERROR_INVALID_VALUE;                                                          \
    }                                                                                           \
    const CUresult answer = Instantiate(entry, exec, graph, params->flags);                     \
    params->hErrNode_out = nullptr;                                                             \
    params->result_out =                                                                        \
        answer == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR; \
    return answer == CUDA_SUCCESS && (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0  \
               ? Upload(entry, *exec, params->hUploadStream, per_thread)                        \
               : answer;                                                                        \
  }                                                                                             \
  CUresult cuGraphUpload##suffix(CUgraphExec exec, CUstream stream) {                           \
    SIM_ENTER(kContext);                                                                        \
    return Upload(entry, exec, stream, per_thread);                                             \
  }                                                                                             \
  CUresult cuGraphLaunch##suffix(CUgraphExec exec, CUstream stream) {                           \
    SIM_ENTER(kContext);                                                                        \
    return Launch(entry, exec, stream, per_thread);                                             \
  }
SIM_GRAPH_CALLS(, false)
SIM_GRAPH_CALLS(_ptsz, true)

// Memory that it allocated stays until it is freed by its address.
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  SIM_ENTER(kDriver);
  if (!IsExec(exec)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Execs().erase(exec);
  delete exec;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t* flags) {
  SIM_ENTER(kDriver);
  if (!IsExec(exec) || flags == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode* error_node,
                           CUgraphExecUpdateResult* result) {
  SIM_ENTER(kContext);
  if (error_node != nullptr) {
    *error_node = nullptr;
  }
  return Update(exec, graph, result);
}

CUresult cuGraphExecUpdate_v2(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info) {
  SIM_ENTER(kContext);
  if (info == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *info = {};
  return Update(exec, graph, &info->result);
}

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* params) {
  SIM_ENTER(kContext);
  CUgraphNode const own = NodeOf(exec, node, CU_GRAPH_NODE_TYPE_KERNEL);
  return own == nullptr || params == nullptr ? CUDA_ERROR_INVALID_VALUE
                                             : SetKernel(entry, own, *params);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D* params, CUcontext) {
  SIM_ENTER(kContext);
  CUgraphNode const own = NodeOf(exec, node, CU_GRAPH_NODE_TYPE_MEMCPY);
  if (own == nullptr || params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  own->copy = *params;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS* params, CUcontext) {
  SIM_ENTER(kContext);
  CUgraphNode const own = NodeOf(exec, node, CU_GRAPH_NODE_TYPE_MEMSET);
  if (own == nullptr || params == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  own->set = *params;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
  SIM_ENTER(kContext);
  CUgraphNode const own = IsExec(exec) ? NodeInCopy(*exec->graph, node) : nullptr;
  if (own == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  own->enabled = enabled != 0;
  return CUDA_SUCCESS;
}
