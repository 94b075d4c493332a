// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/launch.h"

// Graphs. Nodes stay in the order of their making, which is one that keeps every dependency made
// with them; an instance runs them in that order on the stream of its launch.

struct CUgraphNode_st {
  CUgraph graph = nullptr;
  unsigned id = 0;
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  std::vector<CUgraphNode> dependencies;
  aliquot::simgpu::KernelWork kernel;
  CUDA_MEMCPY3D copy = {};
  CUDA_MEMSET_NODE_PARAMS set = {};
  CUDA_HOST_NODE_PARAMS host = {};
  CUDA_MEM_ALLOC_NODE_PARAMS allocation = {};
  CUdeviceptr freed = 0;
  CUevent event = nullptr;
  CUgraph child = nullptr;         // owned
  CUgraphNode original = nullptr;  // of a clone's node
  bool enabled = true;
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
  unsigned id = 0;
  unsigned next_node = 0;
  bool in_node = false;  // a child graph
  ~CUgraph_st();
};

struct CUgraphExec_st {
  std::unique_ptr<CUgraph_st> graph;  // its own copy
  CUcontext context = nullptr;
  unsigned long long flags = 0;
};

namespace aliquot::simgpu {

bool IsGraph(CUgraph graph);
bool IsNode(CUgraphNode node);
bool IsExec(CUgraphExec exec);

CUgraph NewGraph();
void EndGraph(CUgraph graph);
// A new node after `count` others; nullptr when one of them is no node of the graph.
CUgraphNode AddNode(CUgraph graph, CUgraphNodeType type, const CUgraphNode* dependencies,
                    std::size_t count);
std::unique_ptr<CUgraph_st> CopyGraph(const CUgraph_st& graph);
// The instance's node for one of the graph that it was made from; nullptr without one.
CUgraphNode NodeInCopy(const CUgraph_st& copy, CUgraphNode original);

// Reads a node's parameters, for a new node or a changed one.
CUresult SetKernel(const Entry& entry, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2& params);
CUresult SetChild(CUgraphNode node, CUgraph child);
CUresult SetAllocation(const Entry& entry, CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS& params);

// Memory of graphs: one pool a device, which keeps what it has until it is trimmed.
struct GraphMemory {
  std::uint64_t reserved = 0;
  std::uint64_t reserved_high = 0;
  std::uint64_t used = 0;
  std::uint64_t used_high = 0;
};
GraphMemory& GraphMemoryOf(int card);
// Room for so many bytes in use at once.
bool ReserveGraphMemory(const Entry& entry, int card, std::uint64_t bytes);
// What an allocation node does when it runs.
CUresult RunAllocation(const Entry& entry, const CUgraphNode_st& node);
// The most that is in use at once while the graph runs, by itself.
std::uint64_t PeakBytes(const CUgraph_st& graph);
// Whether memory of the graph's allocation nodes is still in use.
bool HasLiveMemory(const CUgraph_st& graph);
void FreeLiveMemory(const Entry& entry, const CUgraph_st& graph);

}  // namespace aliquot::simgpu
