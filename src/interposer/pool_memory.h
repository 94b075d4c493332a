// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/cuda_memory_types.h"
#include "interposer/memory_charge.h"

// Memory that the driver keeps in pools. What a pool takes from the card is what it has *reserved*,
// which is more than what was asked of it (freed memory stays until a synchronisation, or longer)
// and more than the sum of live allocations; so that is what is charged: before an allocation, the
// bytes that do not fit into what is reserved and unused; after it, what the driver says is
// reserved. The graphs of a device have such a pool as well, with its own functions.
//
// These call the driver, so never inside a stream's capture. Thread-safe without a lock held across
// those calls: a pool's entry counts its changes, and figures read before a change are read again.

namespace aliquot::interposer {

// A pool in the table of allocations.
using PoolKey = std::uint64_t;
PoolKey KeyOf(CUmemoryPool pool);
PoolKey GraphPoolOf(CUdevice device);

// One allocation from a pool.
class PoolCharge {
 public:
  // card < 0: no card of the container's: admitted, nothing counted. Where `bytes` do not fit, but
  // `least` do, that is charged: for one whose need is only known from above.
  PoolCharge(PoolKey pool, int card, std::uint64_t bytes, std::uint64_t least);
  PoolCharge(PoolKey pool, int card, std::uint64_t bytes) : PoolCharge(pool, card, bytes, bytes) {}
  ~PoolCharge();
  PoolCharge(const PoolCharge&) = delete;
  PoolCharge& operator=(const PoolCharge&) = delete;

  bool admitted() const { return charge_.admitted(); }
  // The driver gave it.
  void Commit();

 private:
  // Begins anew with so many bytes, by what the pool holds now.
  void Expect(std::uint64_t bytes);

  const PoolKey pool_;
  const int card_;
  std::uint64_t bytes_;
  std::uint64_t growth_;  // what the pool is expected to grow by
  MemoryCharge charge_;
  bool under_way_;
};

// Reads what all known pools of a card have reserved and charges that.
void SettlePools(int card);
// The same for the default pools of all cards, cheaply. Those of the program may be destroyed by
// another thread at any time, so they are left until memory is asked for.
void SettleDefaultPools();
// Of one pool, without an allocation: after a trim.
void SettlePool(PoolKey pool);
// True when it was admitted, now or after unused memory of this process's own pools was given back.
bool Admit(MemoryCharge& charge, int card);

// Which card a pool that was made with these properties takes memory from; remembered.
void PoolCreated(CUmemoryPool pool, const CUmemPoolProps& properties);
void PoolImported(CUmemoryPool pool);
// Of a pool, known or one of the driver's own; -1: none of the container's cards.
int CardOfPool(CUmemoryPool pool);
// Asks the driver to end it; what is still allocated from it then stays charged until it is freed.
CUresult DestroyPool(CUmemoryPool pool, CUresult (*driver)(CUmemoryPool));

// The card that a place of memory is on; -1: the host, or another's card.
int CardOfLocation(const CUmemLocation& location);

// Flags of an allocation of the kind kPointer.
inline constexpr std::uint16_t kFromPool = 1;    // charged by its pool, which `other` names
inline constexpr std::uint16_t kPoolIsGone = 2;  // charged by itself
// Flag of the kind kGraphExec: its memory is charged.
inline constexpr std::uint16_t kUploaded = 1;

}  // namespace aliquot::interposer
