// SPDX-License-Identifier: Apache-2.0
#include "interposer/graph_memory.h"

#include "interposer/cards.h"
#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/process_state.h"
#include "interposer/system_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphGetNodes, (CUgraph, CUgraphNode*, std::size_t*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphNodeGetType, (CUgraphNode, int*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphChildGraphNodeGetGraph, (CUgraphNode, CUgraph*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphMemFreeNodeGetParams, (CUgraphNode, CUdeviceptr*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphMemAllocNodeGetParams,
                        (CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS*));

namespace aliquot::interposer {
namespace {

constexpr int kDeepest = 16;  // child graphs in child graphs

constexpr std::uint64_t kPeakUnit = 4096;  // in which an entry of the table counts it

// What a graph allocates, node by node.
struct GraphSum {
  int card = -1;
  std::uint64_t bytes = 0;
  std::uint64_t live = 0;
  std::uint64_t peak = 0;
  AllocationTable allocated{};  // by the address that the node gives
};

void AddGraph(CUgraph graph, int depth, GraphSum& sum);

void AddAllocation(CUgraphNode node, GraphSum& sum) {
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  if (ALIQUOT_REAL(cuGraphMemAllocNodeGetParams)(node, &params) != CUDA_SUCCESS) {
    return;
  }
  const int card = CardOfLocation(params.poolProps.location);
  sum.card = sum.card < 0 ? card : sum.card;
  if (card < 0 || card != sum.card) {
    return;
  }
  if (__builtin_add_overflow(sum.bytes, params.bytesize, &sum.bytes)) {
    sum.bytes = ~std::uint64_t{0};
  }
  if (__builtin_add_overflow(sum.live, params.bytesize, &sum.live)) {
    sum.live = ~std::uint64_t{0};
  }
  sum.peak = sum.live > sum.peak ? sum.live : sum.peak;
  sum.allocated.Remember({AllocationKind::kPointer, 0, 0, 0, params.dptr, params.bytesize, 0});
}

void AddFree(CUgraphNode node, GraphSum& sum) {
  CUdeviceptr pointer = 0;
  Allocation was{};
  if (ALIQUOT_REAL(cuGraphMemFreeNodeGetParams)(node, &pointer) == CUDA_SUCCESS &&
      sum.allocated.Forget(AllocationKind::kPointer, pointer, was)) {
    sum.live = sum.live > was.bytes ? sum.live - was.bytes : 0;
  }
}

void AddNode(CUgraphNode node, int depth, GraphSum& sum) {
  int type = -1;
  if (ALIQUOT_REAL(cuGraphNodeGetType)(node, &type) != CUDA_SUCCESS) {
    return;
  }
  CUgraph child = nullptr;
  switch (type) {
    case CU_GRAPH_NODE_TYPE_GRAPH:
      if (ALIQUOT_REAL(cuGraphChildGraphNodeGetGraph)(node, &child) == CUDA_SUCCESS) {
        AddGraph(child, depth + 1, sum);
      }
      return;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      AddAllocation(node, sum);
      return;
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      AddFree(node, sum);
      return;
    default:
      return;
  }
}

void AddGraph(CUgraph graph, int depth, GraphSum& sum) {
  std::size_t nodes = 0;
  if (depth > kDeepest || ALIQUOT_REAL(cuGraphGetNodes)(graph, nullptr, &nodes) != CUDA_SUCCESS ||
      nodes == 0) {
    return;
  }
  const std::size_t size = nodes * sizeof(CUgraphNode);
  void* const memory =
      MapMemory(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (memory == nullptr) {
    return;
  }
  auto* const list = static_cast<CUgraphNode*>(memory);
  if (ALIQUOT_REAL(cuGraphGetNodes)(graph, list, &nodes) == CUDA_SUCCESS) {
    for (std::size_t i = 0; i < nodes && i < size / sizeof(CUgraphNode); ++i) {
      AddNode(list[i], depth, sum);
    }
  }
  UnmapMemory(memory, size);
}

struct GraphNeed {
  int card;  // -1: it allocates nothing on the container's cards
  std::uint64_t bytes;
  std::uint64_t peak;
};

GraphNeed NeedOfGraph(CUgraph graph) {
  GraphSum sum;
  AddGraph(graph, 0, sum);
  sum.allocated.Clear();
  return {sum.card, sum.bytes, sum.peak};
}

std::uint64_t ExecKey(CUgraphExec exec) { return reinterpret_cast<std::uint64_t>(exec); }

}  // namespace

namespace {

Fate MarkUploaded(Allocation& entry, void*) {
  entry.flags |= kUploaded;
  return Fate::kKeep;
}

// `charged`: bytes of the exec that are charged already.
void Enter(CUgraphExec exec, CUgraph graph, std::uint64_t charged) {
  const GraphNeed need = NeedOfGraph(graph);
  if (need.card < 0) {
    return;
  }
  const PoolKey pool = GraphPoolOf(DeviceOfCard(need.card));
  const std::uint64_t units = need.peak / kPeakUnit + 1;
  const Allocation entry{AllocationKind::kGraphExec,
                         static_cast<std::int8_t>(need.card),
                         need.bytes <= charged ? kUploaded : std::uint16_t{0},
                         static_cast<std::uint32_t>(units < ~0U ? units : ~0U),
                         ExecKey(exec),
                         need.bytes,
                         pool};
  if (Allocations().Remember(entry)) {
    __atomic_fetch_add(&KnownState()->graph_execs, 1U, __ATOMIC_RELAXED);
  }
  SettlePool(pool);
}

}  // namespace

void GraphInstantiated(CUgraphExec exec, CUgraph graph) { Enter(exec, graph, 0); }

void GraphUpdated(CUgraphExec exec, CUgraph graph) {
  Allocation was{};
  const bool known = Allocations().Forget(AllocationKind::kGraphExec, ExecKey(exec), was);
  Enter(exec, graph, known && (was.flags & kUploaded) != 0 ? was.bytes : 0);
}

GraphMemory::Need GraphMemory::NeedOf(CUgraphExec exec) {
  const Need nothing{0, 0, -1, 0, 0};
  if (__atomic_load_n(&KnownState()->graph_execs, __ATOMIC_RELAXED) == 0) {
    return nothing;
  }
  Allocation entry{};
  if (!Allocations().Find(AllocationKind::kGraphExec, ExecKey(exec), entry) ||
      (entry.flags & kUploaded) != 0) {
    return nothing;
  }
  const std::uint64_t peak = entry.count * kPeakUnit;
  return {entry.key, entry.other, entry.card, entry.bytes, peak};
}

GraphMemory::Need GraphMemory::NeedOf(CUgraph graph) {
  const GraphNeed need = NeedOfGraph(graph);
  const PoolKey pool = need.card < 0 ? 0 : GraphPoolOf(DeviceOfCard(need.card));
  return {0, pool, need.card, need.bytes, need.peak};
}

GraphMemory::GraphMemory(CUgraphExec exec)
    : need_(NeedOf(exec)), charge_(need_.pool, need_.card, need_.bytes, need_.peak) {}

GraphMemory::GraphMemory(CUgraph graph)
    : need_(NeedOf(graph)), charge_(need_.pool, need_.card, need_.bytes, need_.peak) {}

void GraphMemory::Launched(CUresult result) {
  if (need_.card >= 0 && result == CUDA_SUCCESS) {
    charge_.Commit();
    Allocations().Change(AllocationKind::kGraphExec, need_.exec, MarkUploaded, nullptr);
  }
}

void GraphMemory::Instantiated(CUresult result, CUgraphExec exec, CUgraph graph) {
  if (result != CUDA_SUCCESS) {
    return;
  }
  if (need_.card >= 0) {
    charge_.Commit();
  }
  Enter(exec, graph, need_.bytes);
}

GraphExecEnd::GraphExecEnd(CUgraphExec exec)
    : known_(Allocations().Forget(AllocationKind::kGraphExec, ExecKey(exec), was_)) {}

void GraphExecEnd::Ended(CUresult result) {
  if (!known_) {
    return;
  }
  if (result != CUDA_SUCCESS) {
    Allocations().Remember(was_);
    return;
  }
  SettlePool(was_.other);
}

void GraphMemoryTrimmed(CUdevice device) {
  const auto not_uploaded = [](Allocation& entry, void*) {
    entry.flags = 0;
    return Fate::kKeep;
  };
  Allocations().ChangeAll(AllocationKind::kGraphExec, not_uploaded, nullptr);
  SettlePool(GraphPoolOf(device));
}

}  // namespace aliquot::interposer
