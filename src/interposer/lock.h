// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/system_calls.h"

// A lock of one word, between the threads of one process. All zero is unlocked, so a lock in memory
// that a fork clears is free in the child whatever the parent's other threads did. Never held while
// the driver is called.

namespace aliquot::interposer {

class Lock {
 public:
  constexpr Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void Acquire() {
    std::uint32_t seen = kFree;
    if (__atomic_compare_exchange_n(&word_, &seen, kHeld, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      return;
    }
    AcquireSlowly();
  }

  void Release() {
    if (__atomic_exchange_n(&word_, kFree, __ATOMIC_RELEASE) == kWaitedFor) {
      FutexWake(&word_, 1);
    }
  }

 private:
  enum : std::uint32_t { kFree = 0, kHeld = 1, kWaitedFor = 2 };

  void AcquireSlowly() {
    for (int i = 0; i < 100; ++i) {  // what it guards is short
      std::uint32_t seen = kFree;
      if (__atomic_compare_exchange_n(&word_, &seen, kHeld, true, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
        return;
      }
      __builtin_ia32_pause();
    }
    while (__atomic_exchange_n(&word_, kWaitedFor, __ATOMIC_ACQUIRE) != kFree) {
      FutexWait(&word_, kWaitedFor);
    }
  }

  std::uint32_t word_ = kFree;
};

class LockScope {
 public:
  explicit LockScope(Lock& lock) : lock_(lock) { lock_.Acquire(); }
  ~LockScope() { lock_.Release(); }
  LockScope(const LockScope&) = delete;
  LockScope& operator=(const LockScope&) = delete;

 private:
  Lock& lock_;
};

}  // namespace aliquot::interposer
