// SPDX-License-Identifier: Apache-2.0
// Memory that graphs allocate while they run.
#include <algorithm>
#include <map>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/graph.h"
#include "tests/simgpu/cuda/memory.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kPiece = 32ULL << 20;

std::uint64_t Rounded(const CUgraphNode_st& node) {
  return RoundUp(node.allocation.bytesize, kAlignment);
}

// Bytes in use after the graph's nodes; `peak` gets the most on the way.
std::int64_t Walk(const CUgraph_st& graph, std::int64_t in_use, std::int64_t& peak,
                  std::map<CUdeviceptr, std::uint64_t>& live) {
  for (const auto& node : graph.nodes) {
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
      live[node->allocation.dptr] = Rounded(*node);
      in_use += static_cast<std::int64_t>(Rounded(*node));
    } else if (node->type == CU_GRAPH_NODE_TYPE_MEM_FREE && live.count(node->freed) != 0) {
      in_use -= static_cast<std::int64_t>(live[node->freed]);
      live.erase(node->freed);
    } else if (node->child != nullptr) {
      in_use = Walk(*node->child, in_use, peak, live);
    }
    peak = std::max(peak, in_use);
  }
  return in_use;
}

const Range* LiveRange(const CUgraphNode_st& node) {
  const Range* const range = AddressSpace::Get().At(node.allocation.dptr);
  return range != nullptr && range->kind == MemoryKind::kGraph ? range : nullptr;
}

CUresult Attribute(CUgraphMem_attribute attribute, const GraphMemory& memory, cuuint64_t* value) {
  switch (attribute) {
    case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
      *value = memory.used;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
      *value = memory.used_high;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
      *value = memory.reserved;
      return CUDA_SUCCESS;
    case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
      *value = memory.reserved_high;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

GraphMemory& GraphMemoryOf(int card) {
  static GraphMemory memory[kMaxCards];
  return memory[card];
}

bool ReserveGraphMemory(const Entry& entry, int card, std::uint64_t bytes) {
  GraphMemory& memory = GraphMemoryOf(card);
  if (memory.used + bytes <= memory.reserved) {
    return true;
  }
  const std::uint64_t more = RoundUp(memory.used + bytes - memory.reserved, kPiece);
  if (!entry.driver().TakeMemory(card, more)) {
    return false;
  }
  memory.reserved += more;
  memory.reserved_high = std::max(memory.reserved_high, memory.reserved);
  return true;
}

CUresult RunAllocation(const Entry& entry, const CUgraphNode_st& node) {
  const CUdevice device = node.allocation.poolProps.location.id;
  const int card = entry.driver().devices[device];
  if (!ReserveGraphMemory(entry, card, Rounded(node))) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  GraphMemory& memory = GraphMemoryOf(card);
  memory.used += Rounded(node);
  memory.used_high = std::max(memory.used_high, memory.used);
  Range range;
  range.kind = MemoryKind::kGraph;
  range.base = node.allocation.dptr;
  range.size = node.allocation.bytesize;
  range.card = card;
  range.context = entry.context();
  AddressSpace::Get().Add(range);
  return CUDA_SUCCESS;
}

CUresult FreeGraphMemory(const Entry&, CUdeviceptr pointer) {
  const Range* const range = AddressSpace::Get().At(pointer);
  if (range == nullptr || range->kind != MemoryKind::kGraph) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  GraphMemory& memory = GraphMemoryOf(range->card);
  memory.used -= std::min(memory.used, RoundUp(range->size, kAlignment));
  AddressSpace::Get().Remove(pointer);
  return CUDA_SUCCESS;
}

std::uint64_t PeakBytes(const CUgraph_st& graph) {
  std::int64_t peak = 0;
  std::map<CUdeviceptr, std::uint64_t> live;
  Walk(graph, 0, peak, live);
  return static_cast<std::uint64_t>(peak);
}

bool HasLiveMemory(const CUgraph_st& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& node) {
    return (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC && LiveRange(*node) != nullptr) ||
           (node->child != nullptr && HasLiveMemory(*node->child));
  });
}

void FreeLiveMemory(const Entry& entry, const CUgraph_st& graph) {
  for (const auto& node : graph.nodes) {
    if (node->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC) {
      FreeGraphMemory(entry, node->allocation.dptr);
    } else if (node->child != nullptr) {
      FreeLiveMemory(entry, *node->child);
    }
  }
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  SIM_ENTER(kDriver);
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const int card = entry.driver().devices[device];
  GraphMemory& memory = GraphMemoryOf(card);
  const std::uint64_t stays = std::min(memory.reserved, RoundUp(memory.used, kPiece));
  entry.driver().GiveMemory(card, memory.reserved - stays);
  memory.reserved = stays;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  SIM_ENTER(kDriver);
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  return value == nullptr ? CUDA_ERROR_INVALID_VALUE
                          : Attribute(attribute, GraphMemoryOf(entry.driver().devices[device]),
                                      static_cast<cuuint64_t*>(value));
}

// High-water marks can be set back.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  SIM_ENTER(kDriver);
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  GraphMemory& memory = GraphMemoryOf(entry.driver().devices[device]);
  if (value == nullptr || *static_cast<cuuint64_t*>(value) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH) {
    memory.used_high = memory.used;
    return CUDA_SUCCESS;
  }
  if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH) {
    memory.reserved_high = memory.reserved;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
