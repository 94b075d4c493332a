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
ALIQUOT_DRIVER_FUNCTION(CUresult, cuGraphMemAllocNodeGetParams,
                        (CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS*));

namespace aliquot::interposer {
namespace {

constexpr int kDeepest = 16;  // child graphs in child graphs

struct GraphSum {
  int card = -1;
  std::uint64_t bytes = 0;
};

void AddGraph(CUgraph graph, int depth, GraphSum& sum);

void AddNode(CUgraphNode node, int depth, GraphSum& sum) {
  int type = -1;
  if (ALIQUOT_REAL(cuGraphNodeGetType)(node, &type) != CUDA_SUCCESS) {
    return;
  }
  CUgraph child = nullptr;
  if (type == CU_GRAPH_NODE_TYPE_GRAPH &&
      ALIQUOT_REAL(cuGraphChildGraphNodeGetGraph)(node, &child) == CUDA_SUCCESS) {
    AddGraph(child, depth + 1, sum);
    return;
  }
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  if (type != CU_GRAPH_NODE_TYPE_MEM_ALLOC ||
      ALIQUOT_REAL(cuGraphMemAllocNodeGetParams)(node, &params) != CUDA_SUCCESS) {
    return;
  }
  const int card = CardOfLocation(params.poolProps.location);
  if (card < 0) {
    return;
  }
  sum.card = sum.card < 0 ? card : sum.card;
  if (card == sum.card && __builtin_add_overflow(sum.bytes, params.bytesize, &sum.bytes)) {
    sum.bytes = ~std::uint64_t{0};
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

std::uint64_t ExecKey(CUgraphExec exec) { return reinterpret_cast<std::uint64_t>(exec); }

}  // namespace

namespace {

// `charged`: bytes of the exec that are charged already.
void Enter(CUgraphExec exec, CUgraph graph, std::uint64_t charged) {
  GraphSum sum;
  AddGraph(graph, 0, sum);
  if (sum.card < 0) {
    return;
  }
  const PoolKey pool = GraphPoolOf(DeviceOfCard(sum.card));
  const Allocation entry{AllocationKind::kGraphExec,
                         static_cast<std::int8_t>(sum.card),
                         sum.bytes <= charged ? kUploaded : std::uint16_t{0},
                         0,
                         ExecKey(exec),
                         sum.bytes,
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
  const Need nothing{0, 0, -1, 0};
  if (__atomic_load_n(&KnownState()->graph_execs, __ATOMIC_RELAXED) == 0) {
    return nothing;
  }
  Allocation entry{};
  if (!Allocations().Find(AllocationKind::kGraphExec, ExecKey(exec), entry) ||
      (entry.flags & kUploaded) != 0) {
    return nothing;
  }
  return {entry.key, entry.other, entry.card, entry.bytes};
}

GraphMemory::GraphMemory(CUgraphExec exec)
    : need_(NeedOf(exec)), charge_(need_.pool, need_.card, need_.bytes) {}

void GraphMemory::Launched(CUresult result) {
  if (need_.card < 0 || result != CUDA_SUCCESS) {
    return;
  }
  charge_.Commit();
  const auto uploaded = [](Allocation& entry, void*) {
    entry.flags |= kUploaded;
    return Fate::kKeep;
  };
  Allocations().Change(AllocationKind::kGraphExec, need_.exec, uploaded, nullptr);
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
