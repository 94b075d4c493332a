// SPDX-License-Identifier: Apache-2.0
#include "interposer/allocation_table.h"

#include "interposer/system_calls.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kFirstCapacity = 128;  // one page

// Spreads keys that differ in few bits (addresses are multiples of 512 or 2 MiB) over all of them;
// the finaliser of MurmurHash3.
std::uint64_t Mix(AllocationKind kind, std::uint64_t key) {
  std::uint64_t x = key ^ static_cast<std::uint64_t>(kind) << 56;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdU;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53U;
  return x ^ x >> 33;
}

bool Is(const Allocation& place, AllocationKind kind, std::uint64_t key) {
  return place.key == key && place.kind == kind;
}

}  // namespace

AllocationTable::Part& AllocationTable::PartOf(AllocationKind kind, std::uint64_t key) {
  return part_[Mix(kind, key) >> 60];
}

// Where the key is, or the free place that it would get. Pre: there is a free place.
std::size_t AllocationTable::Part::PlaceOf(AllocationKind kind, std::uint64_t key) const {
  std::size_t at = Mix(kind, key) & (capacity - 1);
  while (places[at].kind != AllocationKind::kNone && !Is(places[at], kind, key)) {
    at = (at + 1) & (capacity - 1);
  }
  return at;
}

bool AllocationTable::Part::Grow() {
  const std::size_t wider = capacity == 0 ? kFirstCapacity : capacity * 2;
  void* const bytes = MapMemory(nullptr, wider * sizeof(Allocation), PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS);
  if (bytes == nullptr) {
    return false;
  }
  AdviseMemory(bytes, wider * sizeof(Allocation), MADV_DONTFORK);  // a child begins with none
  Allocation* const old = places;
  const std::size_t old_capacity = capacity;
  places = static_cast<Allocation*>(bytes);
  capacity = wider;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i].kind != AllocationKind::kNone) {
      places[PlaceOf(old[i].kind, old[i].key)] = old[i];
    }
  }
  if (old != nullptr) {
    UnmapMemory(old, old_capacity * sizeof(Allocation));
  }
  return true;
}

// What lies behind it in the same run moves up, so that every key is still found from its own place
// on.
void AllocationTable::Part::RemoveAt(std::size_t at) {
  std::size_t hole = at;
  for (std::size_t next = (hole + 1) & (capacity - 1); places[next].kind != AllocationKind::kNone;
       next = (next + 1) & (capacity - 1)) {
    const std::size_t home = Mix(places[next].kind, places[next].key) & (capacity - 1);
    if (((next - home) & (capacity - 1)) >= ((next - hole) & (capacity - 1))) {
      places[hole] = places[next];
      hole = next;
    }
  }
  places[hole] = Allocation{};
  --used;
}

bool AllocationTable::Remember(const Allocation& allocation) {
  Part& part = PartOf(allocation.kind, allocation.key);
  const LockScope locked(part.lock);
  if ((part.used + 1) * std::size_t{4} > part.capacity * 3 && !part.Grow()) {
    return false;
  }
  Allocation& place = part.places[part.PlaceOf(allocation.kind, allocation.key)];
  part.used += place.kind == AllocationKind::kNone ? 1U : 0U;
  place = allocation;
  return true;
}

bool AllocationTable::Change(AllocationKind kind, std::uint64_t key,
                             Fate (*change)(Allocation&, void*), void* context) {
  Part& part = PartOf(kind, key);
  const LockScope locked(part.lock);
  if (part.used == 0) {
    return false;
  }
  const std::size_t at = part.PlaceOf(kind, key);
  if (part.places[at].kind == AllocationKind::kNone) {
    return false;
  }
  if (change(part.places[at], context) == Fate::kRemove) {
    part.RemoveAt(at);
  }
  return true;
}

bool AllocationTable::Forget(AllocationKind kind, std::uint64_t key, Allocation& was) {
  const auto take = [](Allocation& entry, void* to) {
    *static_cast<Allocation*>(to) = entry;
    return Fate::kRemove;
  };
  return Change(kind, key, take, &was);
}

bool AllocationTable::Find(AllocationKind kind, std::uint64_t key, Allocation& found) {
  const auto copy = [](Allocation& entry, void* to) {
    *static_cast<Allocation*>(to) = entry;
    return Fate::kKeep;
  };
  return Change(kind, key, copy, &found);
}

void AllocationTable::Clear() {
  for (Part& part : part_) {
    if (part.places != nullptr) {
      UnmapMemory(part.places, part.capacity * sizeof(Allocation));
    }
    part.places = nullptr;
    part.capacity = 0;
    part.used = 0;
  }
}

void AllocationTable::ChangeAll(AllocationKind kind, Fate (*change)(Allocation&, void*),
                                void* context) {
  for (Part& part : part_) {
    const LockScope locked(part.lock);
    std::size_t at = 0;
    std::size_t left = part.capacity;
    while (left != 0) {
      Allocation& place = part.places[at];
      if (place.kind == kind && change(place, context) == Fate::kRemove) {
        part.RemoveAt(at);  // what moved up into this place is looked at next
        continue;
      }
      ++at;
      --left;
    }
  }
}

}  // namespace aliquot::interposer
