// SPDX-License-Identifier: Apache-2.0
#include "quota/live_limits.h"

namespace aliquot::quota {
namespace {

// The values are read and written as atomics of the compiler, so that a race with the other side,
// in another process, is defined.
template <typename T>
void Store(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

}  // namespace

void WriteLive(LiveLimits& live, const LiveCard* cards, std::size_t count) {
  // A writer that was killed inside leaves an odd number: the next write starts from the odd one
  // and ends with an even one all the same.
  const std::uint64_t writing = Load(live.sequence) | 1;
  Store(live.sequence, writing);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  for (std::size_t i = 0; i < 16; ++i) {
    const bool given = i < count;
    Store(live.card[i].core_now, given ? cards[i].core_now : 0U);
    Store(live.card[i].expires_ns, given ? cards[i].expires_ns : std::uint64_t{0});
    Store(live.card[i].overhead_bytes, given ? cards[i].overhead_bytes : std::uint64_t{0});
    Store(live.card[i].busy_correction_ns, given ? cards[i].busy_correction_ns : std::int64_t{0});
  }
  __atomic_store_n(&live.sequence, writing + 1, __ATOMIC_RELEASE);
}

bool ReadLive(const LiveLimits& live, LiveCard* out, std::size_t count, int tries) {
  for (int i = 0; i < tries; ++i) {
    const std::uint64_t before = __atomic_load_n(&live.sequence, __ATOMIC_ACQUIRE);
    if ((before & 1) != 0) {
      continue;
    }
    for (std::size_t card = 0; card < count && card < 16; ++card) {
      out[card].core_now = Load(live.card[card].core_now);
      out[card].reserved = 0;
      out[card].expires_ns = Load(live.card[card].expires_ns);
      out[card].overhead_bytes = Load(live.card[card].overhead_bytes);
      out[card].busy_correction_ns = Load(live.card[card].busy_correction_ns);
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (Load(live.sequence) == before) {
      return true;
    }
  }
  return false;
}

}  // namespace aliquot::quota
