// SPDX-License-Identifier: Apache-2.0
// Graphs and their shape.
#include "tests/simgpu/cuda/graph.h"

#include <algorithm>
#include <unordered_set>

namespace aliquot::simgpu {
namespace {

std::unordered_set<CUgraph>& Graphs() {
  static auto* const graphs = new std::unordered_set<CUgraph>;
  return *graphs;
}

// NVML's and CUDA's way to give a list: its length without a place, else as many as fit.
CUresult Tell(const std::vector<CUgraphNode>& found, CUgraphNode* out, std::size_t* count) {
  if (count == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (out == nullptr) {
    *count = found.size();
    return CUDA_SUCCESS;
  }
  for (std::size_t i = 0; i < *count; ++i) {
    out[i] = i < found.size() ? found[i] : nullptr;
  }
  *count = std::min(*count, found.size());
  return CUDA_SUCCESS;
}

CUresult TellEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  std::vector<CUgraphNode> begins;
  std::vector<CUgraphNode> ends;
  if (!IsGraph(graph) || count == nullptr || (from == nullptr) != (to == nullptr)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const auto& node : graph->nodes) {
    for (CUgraphNode const before : node->dependencies) {
      begins.push_back(before);
      ends.push_back(node.get());
    }
  }
  std::size_t same = *count;
  Tell(begins, from, &same);
  return Tell(ends, to, count);
}

CUresult TellDependencies(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  return IsNode(node) ? Tell(node->dependencies, out, count) : CUDA_ERROR_INVALID_VALUE;
}

CUresult TellDependents(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  if (!IsNode(node)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::vector<CUgraphNode> found;
  for (const auto& each : node->graph->nodes) {
    const auto& before = each->dependencies;
    if (std::find(before.begin(), before.end(), node) != before.end()) {
      found.push_back(each.get());
    }
  }
  return Tell(found, out, count);
}

CUresult ChangeEdges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                     std::size_t count, bool add) {
  if (!IsGraph(graph) || (count != 0 && (from == nullptr || to == nullptr))) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!IsNode(from[i]) || !IsNode(to[i]) || from[i]->graph != graph || to[i]->graph != graph) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    std::vector<CUgraphNode>& edges = to[i]->dependencies;
    const auto found = std::find(edges.begin(), edges.end(), from[i]);
    if ((found != edges.end()) == add) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (add) {
      edges.push_back(from[i]);
    } else {
      edges.erase(found);
    }
  }
  return CUDA_SUCCESS;
}

CUresult DestroyNode(CUgraphNode node) {
  if (!IsNode(node)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUgraph const graph = node->graph;
  for (const auto& each : graph->nodes) {
    auto& before = each->dependencies;
    before.erase(std::remove(before.begin(), before.end(), node), before.end());
  }
  const auto is_node = [node](const auto& each) { return each.get() == node; };
  graph->nodes.erase(std::find_if(graph->nodes.begin(), graph->nodes.end(), is_node));
  return CUDA_SUCCESS;
}

}  // namespace

bool IsGraph(CUgraph graph) { return Graphs().count(graph) != 0; }

bool IsNode(CUgraphNode node) {
  for (CUgraph const graph : Graphs()) {
    for (const auto& each : graph->nodes) {
      if (each.get() == node) {
        return true;
      }
    }
  }
  return false;
}

CUgraph NewGraph() {
  static unsigned next = 1;
  auto* const graph = new CUgraph_st;
  graph->id = next++;
  Graphs().insert(graph);
  return graph;
}

void EndGraph(CUgraph graph) { delete graph; }

CUgraphNode AddNode(CUgraph graph, CUgraphNodeType type, const CUgraphNode* dependencies,
                    std::size_t count) {
  auto node = std::make_unique<CUgraphNode_st>();
  for (std::size_t i = 0; i < count; ++i) {
    const auto is_it = [&](const auto& each) { return each.get() == dependencies[i]; };
    if (std::none_of(graph->nodes.begin(), graph->nodes.end(), is_it)) {
      return nullptr;
    }
    node->dependencies.push_back(dependencies[i]);
  }
  node->graph = graph;
  node->type = type;
  node->id = graph->next_node++;
  graph->nodes.push_back(std::move(node));
  return graph->nodes.back().get();
}

std::unique_ptr<CUgraph_st> CopyGraph(const CUgraph_st& graph) {
  auto copy = std::make_unique<CUgraph_st>();
  copy->id = graph.id;
  copy->next_node = graph.next_node;
  for (const auto& from : graph.nodes) {
    auto node = std::make_unique<CUgraphNode_st>(*from);
    node->graph = copy.get();
    node->original = from.get();
    node->dependencies.clear();
    for (CUgraphNode const before : from->dependencies) {
      if (CUgraphNode const own = NodeInCopy(*copy, before)) {
        node->dependencies.push_back(own);
      }
    }
    node->kernel.argument_places.clear();
    for (auto& each : node->kernel.arguments) {
      node->kernel.argument_places.push_back(each.data());
    }
    if (from->child != nullptr) {
      node->child = CopyGraph(*from->child).release();
      node->child->in_node = true;
      Graphs().insert(node->child);
    }
    copy->nodes.push_back(std::move(node));
  }
  return copy;
}

CUgraphNode NodeInCopy(const CUgraph_st& copy, CUgraphNode original) {
  for (const auto& node : copy.nodes) {
    if (node->original == original) {
      return node.get();
    }
  }
  return nullptr;
}

}  // namespace aliquot::simgpu

CUgraph_st::~CUgraph_st() {
  aliquot::simgpu::Graphs().erase(this);
  for (const auto& node : nodes) {
    delete node->child;
  }
}

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuGraphCreate(CUgraph* graph, unsigned flags) {
  SIM_ENTER(kContext);
  if (graph == nullptr || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *graph = NewGraph();
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph graph) {
  SIM_ENTER(kDriver);
  if (!IsGraph(graph) || graph->in_node) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  EndGraph(graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroyNode(CUgraphNode node) {
  SIM_ENTER(kDriver);
  return DestroyNode(node);
}

CUresult cuGraphClone(CUgraph* clone, CUgraph graph) {
  SIM_ENTER(kDriver);
  if (clone == nullptr || !IsGraph(graph)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *clone = CopyGraph(*graph).release();
  Graphs().insert(*clone);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeFindInClone(CUgraphNode* found, CUgraphNode original, CUgraph clone) {
  SIM_ENTER(kDriver);
  if (found == nullptr || !IsGraph(clone)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *found = NodeInCopy(*clone, original);
  return *found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType* type) {
  SIM_ENTER(kDriver);
  if (type == nullptr || !IsNode(node)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *type = node->type;
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  SIM_ENTER(kDriver);
  if (!IsGraph(graph)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::vector<CUgraphNode> found;
  for (const auto& node : graph->nodes) {
    found.push_back(node.get());
  }
  return Tell(found, nodes, count);
}

CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  SIM_ENTER(kDriver);
  if (!IsGraph(graph)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::vector<CUgraphNode> found;
  for (const auto& node : graph->nodes) {
    if (node->dependencies.empty()) {
      found.push_back(node.get());
    }
  }
  return Tell(found, nodes, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellEdges(graph, from, to, count);
}

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData*,
                            std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellEdges(graph, from, to, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellDependencies(node, out, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData*,
                                       std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellDependencies(node, out, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode* out, std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellDependents(node, out, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode* out, CUgraphEdgeData*,
                                         std::size_t* count) {
  SIM_ENTER(kDriver);
  return TellDependents(node, out, count);
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                std::size_t count) {
  SIM_ENTER(kDriver);
  return ChangeEdges(graph, from, to, count, true);
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, std::size_t count) {
  SIM_ENTER(kDriver);
  return ChangeEdges(graph, from, to, count, true);
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                   std::size_t count) {
  SIM_ENTER(kDriver);
  return ChangeEdges(graph, from, to, count, false);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData*, std::size_t count) {
  SIM_ENTER(kDriver);
  return ChangeEdges(graph, from, to, count, false);
}
