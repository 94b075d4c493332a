// SPDX-License-Identifier: Apache-2.0
#include "interposer/share_watch.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "interposer/container.h"
#include "interposer/lock.h"
#include "interposer/system_calls.h"

namespace aliquot::interposer {
namespace {

long Word(const void* pointer) { return reinterpret_cast<long>(pointer); }

// What this process saw of one card. `before` is the beginning of the time that is being measured.
struct Watched {
  bool begun;
  bool answered;
  ShareLook before;
  ShareLoad last;
};

// In a page that a fork clears: the child begins anew, with a lock that nobody holds.
struct Watch {
  Lock lock;
  Watched card[quota::kMaxCards];
};

Watch* g_watch = nullptr;

// Null: no memory for it; then every question waits.
Watch* TheWatch() {
  Watch* known = __atomic_load_n(&g_watch, __ATOMIC_ACQUIRE);
  if (known != nullptr) {
    return known;
  }
  constexpr long kSize = sizeof(Watch);
  const long made =
      SystemCall(SYS_mmap, 0, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made < 0 && made > -4096) {
    return nullptr;
  }
  if (SystemCall(SYS_madvise, made, kSize, MADV_WIPEONFORK) != 0) {
    SystemCall(SYS_munmap, made, kSize);
    return nullptr;
  }
  Watch* const fresh = reinterpret_cast<Watch*>(made);
  if (!__atomic_compare_exchange_n(&g_watch, &known, fresh, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_ACQUIRE)) {
    SystemCall(SYS_munmap, made, kSize);
    return known;
  }
  return fresh;
}

void SleepFor(std::uint64_t nanoseconds) {
  struct timespec left {};
  left.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000U);
  left.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000U);
  SystemCall(SYS_nanosleep, Word(&left), Word(&left));
}

// Somebody holds the lock of that slot (FORMAT.md, "Who owns a slot").
bool Owned(int file, std::size_t slot) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = static_cast<off_t>(slot);
  lock.l_len = 1;
  return SystemCall(SYS_fcntl, file, F_OFD_GETLK, Word(&lock)) == 0 && lock.l_type != F_UNLCK;
}

std::uint64_t NowNs() {
  struct timespec now {};
  SystemCall(SYS_clock_gettime, CLOCK_MONOTONIC, Word(&now));
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t Read(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_RELAXED); }

// What is known of a card at a look. Begins to watch it when nobody did.
struct Known {
  ShareLook before;
  ShareLoad last;
  bool answered;
};

void Recall(Watch& watch, int card, const ShareLook& now, Known& known) {
  watch.lock.Acquire();
  Watched& watched = watch.card[card];
  if (!watched.begun) {
    watched.begun = true;
    watched.before = now;
  }
  known = {watched.before, watched.last, watched.answered};
  watch.lock.Release();
}

void Keep(Watch& watch, int card, const ShareLook& now, const ShareLoad& load) {
  watch.lock.Acquire();
  Watched& watched = watch.card[card];
  watched.before = now;
  watched.last = load;
  watched.answered = true;
  watch.lock.Release();
}

}  // namespace

void LookAtShare(int card, ShareLook& look) {
  const quota::UsageRegion& region = Region();
  const int file =
      static_cast<int>(SystemCall(SYS_openat, AT_FDCWD, Word(kUsageFile), O_RDONLY | O_CLOEXEC));
  // A program that only looks needs no slot of its own; without the file there is no other.
  const int own = file < 0 ? OwnSlot() : -1;
  look.at_ns = NowNs();
  look.extra_ns = CoreLimitOf(card).busy_correction_ns;
  for (std::size_t i = 0; i < quota::kUsageSlots; ++i) {
    const quota::UsageSlot& slot = region.slot[i];
    const quota::UsageCell& cell = slot.card[card];
    const std::uint32_t pid = __atomic_load_n(&slot.pid, __ATOMIC_RELAXED);
    const bool alive = pid != 0 && (static_cast<int>(i) == own || (file >= 0 && Owned(file, i)));
    look.slot[i] = alive ? SlotLook{pid, Read(slot.generation), Read(cell.committed_bytes),
                                    Read(cell.busy_ns), Read(cell.launches)}
                         : SlotLook{};
  }
  if (file >= 0) {
    SystemCall(SYS_close, file);
  }
}

ShareLoad LoadOf(int card, ShareLook& now) {
  Watch* const watch = TheWatch();
  LookAtShare(card, now);
  Known known = {now, {}, false};
  if (watch != nullptr) {
    Recall(*watch, card, now, known);
  }
  // Another thread may have looked later than this one.
  const std::uint64_t since = now.at_ns > known.before.at_ns ? now.at_ns - known.before.at_ns : 0;
  if (since < kShortestLookNs) {
    if (known.answered) {
      return known.last;
    }
    SleepFor(kShortestLookNs - since);
    LookAtShare(card, now);
  }
  const ShareLoad load = LoadBetween(known.before, now);
  if (watch != nullptr) {
    Keep(*watch, card, now, load);
  }
  return load;
}

}  // namespace aliquot::interposer
