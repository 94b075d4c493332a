// SPDX-License-Identifier: Apache-2.0
#include "interposer/pool_memory.h"

#include "interposer/allocation_table.h"
#include "interposer/cards.h"
#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/process_state.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemPoolGetAttribute, (CUmemoryPool, int, void*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetGraphMemAttribute, (CUdevice, int, void*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemPoolTrimTo, (CUmemoryPool, std::size_t));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGraphMemTrim, (CUdevice));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetDefaultMemPool, (CUmemoryPool*, CUdevice));

namespace aliquot::interposer {
namespace {

constexpr PoolKey kGraphPool = PoolKey{1} << 63;  // no address has that bit
constexpr int kTries = 16;
constexpr int kMostPools = 64;  // looked at when room is made; a program has a handful

struct Figures {
  std::uint64_t reserved = 0;
  std::uint64_t used = 0;
};

bool IsGraphPool(PoolKey pool) { return (pool & kGraphPool) != 0; }
CUdevice DeviceOfGraphPool(PoolKey pool) { return static_cast<CUdevice>(pool & ~kGraphPool); }
CUmemoryPool PoolOf(PoolKey pool) { return reinterpret_cast<CUmemoryPool>(pool); }

bool Read(PoolKey pool, int of_graphs, int of_pool, std::uint64_t& bytes) {
  return (IsGraphPool(pool)
              ? ALIQUOT_REAL(cuDeviceGetGraphMemAttribute)(DeviceOfGraphPool(pool), of_graphs,
                                                           &bytes)
              : ALIQUOT_REAL(cuMemPoolGetAttribute)(PoolOf(pool), of_pool, &bytes)) == CUDA_SUCCESS;
}

bool ReadReserved(PoolKey pool, std::uint64_t& bytes) {
  return Read(pool, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
              bytes);
}

bool ReadFigures(PoolKey pool, Figures& figures) {
  return ReadReserved(pool, figures.reserved) &&
         Read(pool, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
              figures.used);
}

// An entry: `bytes` charged, `other` = bytes of allocations under way, `count` = changes so far.
Allocation EntryOf(PoolKey pool, int card) {
  Allocation entry{};
  if (Allocations().Find(AllocationKind::kPool, pool, entry)) {
    return entry;
  }
  entry = {AllocationKind::kPool, static_cast<std::int8_t>(card), 0, 0, pool, 0, 0};
  if (Allocations().Remember(entry)) {
    __atomic_fetch_add(&KnownState()->pools, 1U, __ATOMIC_RELAXED);
  }
  return entry;
}

struct Beginning {
  std::uint32_t seen;  // the change that the figures were read at
  Figures figures;
  std::uint64_t bytes;
  std::uint64_t growth;
  bool begun;
};

Fate Begin(Allocation& entry, void* context) {
  Beginning& beginning = *static_cast<Beginning*>(context);
  if (entry.count != beginning.seen) {
    return Fate::kKeep;
  }
  const Figures& figures = beginning.figures;
  const std::uint64_t unused =
      figures.reserved > figures.used ? figures.reserved - figures.used : 0;
  // Of what is unused, others that are under way take theirs first.
  const std::uint64_t free = unused > entry.other ? unused - entry.other : 0;
  beginning.growth = beginning.bytes > free ? beginning.bytes - free : 0;
  beginning.begun = true;
  entry.other += beginning.bytes;
  return Fate::kKeep;
}

// Enters the allocation into the pool's entry; how much the pool will have to grow.
std::uint64_t ExpectedGrowth(PoolKey pool, int card, std::uint64_t bytes) {
  for (int i = 0; i < kTries; ++i) {
    Beginning beginning{EntryOf(pool, card).count, {}, bytes, 0, false};
    if (!ReadFigures(pool, beginning.figures)) {
      break;
    }
    Allocations().Change(AllocationKind::kPool, pool, Begin, &beginning);
    if (beginning.begun) {
      return beginning.growth;
    }
  }
  const auto only_enter = [](Allocation& entry, void* context) {
    entry.other += *static_cast<std::uint64_t*>(context);
    return Fate::kKeep;
  };
  Allocations().Change(AllocationKind::kPool, pool, only_enter, &bytes);
  return bytes;
}

struct Ending {
  std::uint32_t seen;
  bool whatever_seen;  // the last try
  std::uint64_t reserved;
  std::uint64_t under_way;  // bytes of the allocation that ends
  std::uint64_t before;     // charged before and after
  std::uint64_t after;
  int card;
  bool ended;
};

Fate End(Allocation& entry, void* context) {
  Ending& ending = *static_cast<Ending*>(context);
  if (entry.count != ending.seen && !ending.whatever_seen) {
    return Fate::kKeep;
  }
  ++entry.count;
  entry.other = entry.other > ending.under_way ? entry.other - ending.under_way : 0;
  ending.before = entry.bytes;
  // While others are under way, what they counted on must not be given back.
  const bool may_shrink = entry.other == 0 && !ending.whatever_seen;
  if (ending.reserved > entry.bytes || may_shrink) {
    entry.bytes = ending.reserved;
  }
  ending.after = entry.bytes;
  ending.card = entry.card;
  ending.ended = true;
  return Fate::kKeep;
}

// False: no such pool, or the driver does not say.
bool EndWithFigures(PoolKey pool, std::uint64_t under_way, Ending& ending) {
  for (int i = 0; i < kTries; ++i) {
    Allocation entry{};
    std::uint64_t reserved = 0;
    if (!Allocations().Find(AllocationKind::kPool, pool, entry) || !ReadReserved(pool, reserved)) {
      return false;
    }
    ending = {entry.count, i == kTries - 1, reserved, under_way, 0, 0, -1, false};
    Allocations().Change(AllocationKind::kPool, pool, End, &ending);
    if (ending.ended) {
      return true;
    }
  }
  return false;
}

Fate Leave(Allocation& entry, void* context) {
  const std::uint64_t bytes = *static_cast<std::uint64_t*>(context);
  entry.other = entry.other > bytes ? entry.other - bytes : 0;
  ++entry.count;
  return Fate::kKeep;
}

struct PoolList {
  int card;
  int count;
  PoolKey pool[kMostPools];
};

PoolList PoolsOf(int card) {
  PoolList list{card, 0, {}};
  const ProcessState* const state = KnownState();
  if (state == nullptr || __atomic_load_n(&state->pools, __ATOMIC_RELAXED) == 0) {
    return list;
  }
  const auto note = [](Allocation& entry, void* context) {
    PoolList& to = *static_cast<PoolList*>(context);
    if (entry.card == to.card && to.count < kMostPools) {
      to.pool[to.count++] = entry.key;
    }
    return Fate::kKeep;
  };
  Allocations().ChangeAll(AllocationKind::kPool, note, &list);
  return list;
}

// Memory of graphs that was given back is charged again at their next launch.
Fate NotUploaded(Allocation& entry, void*) {
  entry.flags = 0;
  return Fate::kKeep;
}

void TrimPools(int card) {
  const PoolList list = PoolsOf(card);
  for (int i = 0; i < list.count; ++i) {
    const PoolKey pool = list.pool[i];
    if (IsGraphPool(pool)) {
      ALIQUOT_REAL(cuDeviceGraphMemTrim)(DeviceOfGraphPool(pool));
      Allocations().ChangeAll(AllocationKind::kGraphExec, NotUploaded, nullptr);
    } else {
      ALIQUOT_REAL(cuMemPoolTrimTo)(PoolOf(pool), 0);
    }
    SettlePool(pool);
  }
}

}  // namespace

PoolKey KeyOf(CUmemoryPool pool) { return reinterpret_cast<PoolKey>(pool); }

PoolKey GraphPoolOf(CUdevice device) { return kGraphPool | static_cast<PoolKey>(device); }

PoolCharge::PoolCharge(PoolKey pool, int card, std::uint64_t bytes, std::uint64_t least)
    : pool_(pool),
      card_(card),
      bytes_(bytes),
      growth_(card < 0 ? 0 : ExpectedGrowth(pool, card, bytes)),
      charge_(card, growth_),
      under_way_(card >= 0) {
  if (!charge_.admitted() && least < bytes) {
    Expect(least);
  }
  if (!Admit(charge_, card)) {
    // What this very pool kept unused has been given back too, but stays charged while something is
    // under way in it.
    Expect(bytes_);
  }
}

void PoolCharge::Expect(std::uint64_t bytes) {
  Allocations().Change(AllocationKind::kPool, pool_, Leave, &bytes_);
  SettlePool(pool_);
  bytes_ = bytes;
  growth_ = ExpectedGrowth(pool_, card_, bytes);
  charge_.TryLess(growth_);
}

PoolCharge::~PoolCharge() {
  if (under_way_) {
    Allocations().Change(AllocationKind::kPool, pool_, Leave, &bytes_);
  }
}

void PoolCharge::Commit() {
  if (!under_way_) {
    charge_.Commit(growth_);
    return;
  }
  Ending ending{};
  if (!EndWithFigures(pool_, bytes_, ending)) {
    charge_.Commit(growth_);  // as asked, until the driver says more
    const auto add = [](Allocation& entry, void* context) {
      entry.bytes += *static_cast<std::uint64_t*>(context);
      return Fate::kKeep;
    };
    Allocations().Change(AllocationKind::kPool, pool_, add, &growth_);
    return;
  }
  under_way_ = false;
  if (ending.after >= ending.before) {
    charge_.Commit(ending.after - ending.before);
  } else {
    charge_.Commit(0);
    Refund(card_, ending.before - ending.after);
  }
}

void SettlePool(PoolKey pool) {
  Ending ending{};
  if (!EndWithFigures(pool, 0, ending)) {
    return;
  }
  if (ending.after > ending.before) {
    Hold(ending.card, ending.after - ending.before);
  } else {
    Refund(ending.card, ending.before - ending.after);
  }
}

void SettlePools(int card) {
  const PoolList list = PoolsOf(card);
  for (int i = 0; i < list.count; ++i) {
    SettlePool(list.pool[i]);
  }
}

void SettleDefaultPools() {
  const ProcessState& state = *KnownState();
  if (__atomic_load_n(&state.pools, __ATOMIC_RELAXED) == 0) {
    return;
  }
  for (int card = 0; card < CardCount(); ++card) {
    if (const PoolKey pool = __atomic_load_n(&state.default_pool[card], __ATOMIC_RELAXED)) {
      SettlePool(pool);
    }
  }
}

bool Admit(MemoryCharge& charge, int card) {
  if (charge.admitted()) {
    return true;
  }
  if (__atomic_load_n(&KnownState()->pools, __ATOMIC_RELAXED) == 0) {
    return false;
  }
  SettlePools(card);  // the driver may have given back at a synchronisation
  if (charge.TryAgain()) {
    return true;
  }
  TrimPools(card);
  return charge.TryAgain();
}

int CardOfLocation(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
    return CardOfDevice(location.id);
  }
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE_LOCALITY_DOMAIN
             ? CardOfDevice(location.localized.deviceId)
             : -1;
}

void PoolCreated(CUmemoryPool pool, const CUmemPoolProps& properties) {
  EntryOf(KeyOf(pool), CardOfLocation(properties.location));
}

void PoolImported(CUmemoryPool pool) { EntryOf(KeyOf(pool), -1); }

int CardOfPool(CUmemoryPool pool) {
  Allocation entry{};
  if (Allocations().Find(AllocationKind::kPool, KeyOf(pool), entry)) {
    return entry.card;
  }
  int card = -1;
  for (int i = 0; i < CardCount() && card < 0; ++i) {
    const CUdevice device = DeviceOfCard(i);
    CUmemoryPool own = nullptr;
    if (device >= 0 && ALIQUOT_REAL(cuDeviceGetDefaultMemPool)(&own, device) == CUDA_SUCCESS &&
        own == pool) {
      card = i;
      __atomic_store_n(&KnownState()->default_pool[card], KeyOf(pool), __ATOMIC_RELAXED);
    }
  }
  return EntryOf(KeyOf(pool), card).card;
}

namespace {

// What was allocated from a pool, so far charged by the pool.
struct Orphans {
  PoolKey pool;
  std::uint16_t flags_before;
  std::uint16_t flags_after;
  std::uint64_t bytes;
};

Fate Reflag(Allocation& entry, void* context) {
  Orphans& orphans = *static_cast<Orphans*>(context);
  if (entry.flags == orphans.flags_before && entry.other == orphans.pool) {
    entry.flags = orphans.flags_after;
    orphans.bytes += entry.bytes;
  }
  return Fate::kKeep;
}

}  // namespace

CUresult DestroyPool(CUmemoryPool pool, CUresult (*driver)(CUmemoryPool)) {
  // Before the driver is asked: the next pool may get the same handle at once.
  Allocation was{};
  if (!Allocations().Forget(AllocationKind::kPool, KeyOf(pool), was)) {
    return driver(pool);
  }
  Orphans orphans{KeyOf(pool), kFromPool, kPoolIsGone, 0};
  Allocations().ChangeAll(AllocationKind::kPointer, Reflag, &orphans);
  const CUresult result = driver(pool);
  if (result != CUDA_SUCCESS) {
    Orphans again{KeyOf(pool), kPoolIsGone, kFromPool, 0};
    Allocations().ChangeAll(AllocationKind::kPointer, Reflag, &again);
    Allocations().Remember(was);
  } else if (orphans.bytes < was.bytes) {
    Refund(was.card, was.bytes - orphans.bytes);
  } else {
    Hold(was.card, orphans.bytes - was.bytes);
  }
  return result;
}

}  // namespace aliquot::interposer
