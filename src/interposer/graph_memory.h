// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/allocation_table.h"
#include "interposer/cuda_memory_types.h"
#include "interposer/pool_memory.h"

// Memory that a graph allocates when it runs: the bytes of its allocation nodes, child graphs'
// too, are added up when it is instantiated, charged at its first upload or launch, and settled by
// what the driver says that the graphs of the device have reserved. The driver keeps that memory
// for the next launches until it is trimmed.
//
// What a graph frees, the driver uses again for what comes after it, so most graphs need less than
// that sum. Where the sum does not fit, the most that is allocated at once, node by node in the
// driver's order, decides: exact for a graph that is one chain, too little for branches that
// allocate side by side, whose excess is found and held once the driver has reserved it. A graph
// that allocates on several cards is checked against the first one's limit alone.

namespace aliquot::interposer {

// One upload or launch of a graph:
//
//   GraphMemory memory(exec);
//   if (!memory.admitted()) {
//     return CUDA_ERROR_OUT_OF_MEMORY;
//   }
//   const CUresult result = ALIQUOT_REAL(cuGraphLaunch)(exec, stream);
//   memory.Launched(result);
//
// Pre: Enforced(), the outermost hook, not into a stream that captures. A load and a test for a
// process whose graphs allocate nothing.
class GraphMemory {
 public:
  explicit GraphMemory(CUgraphExec exec);
  // An instantiation that uploads at once.
  explicit GraphMemory(CUgraph graph);
  bool admitted() const { return charge_.admitted(); }
  void Launched(CUresult result);
  // Of a graph that was given above.
  void Instantiated(CUresult result, CUgraphExec exec, CUgraph graph);

 private:
  struct Need {
    std::uint64_t exec;
    PoolKey pool;
    int card;  // -1: nothing to charge
    std::uint64_t bytes;
    std::uint64_t peak;
  };
  static Need NeedOf(CUgraphExec exec);
  static Need NeedOf(CUgraph graph);

  const Need need_;
  PoolCharge charge_;
};

// After an instantiation that succeeded.
void GraphInstantiated(CUgraphExec exec, CUgraph graph);
// After an update that succeeded.
void GraphUpdated(CUgraphExec exec, CUgraph graph);
// What destroying an exec takes away; before the driver is asked, since the next exec may get the
// same handle at once.
class GraphExecEnd {
 public:
  explicit GraphExecEnd(CUgraphExec exec);
  void Ended(CUresult result);

 private:
  Allocation was_{};
  bool known_;
};
// The driver has been asked to give back the unused graph memory of a device.
void GraphMemoryTrimmed(CUdevice device);

}  // namespace aliquot::interposer
