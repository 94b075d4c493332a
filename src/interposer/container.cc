// SPDX-License-Identifier: Apache-2.0
#include "interposer/container.h"

#include "interposer/process_state.h"
#include "interposer/system_calls.h"
#include "interposer/text.h"
#include "interposer/usage_slot.h"

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kLookEveryNs = 100'000'000;
constexpr int kStandardError = 2;

// Once known it stays, in children too: there is nothing to hold this process to. What a process
// lacks only just now (descriptors, memory) does not count: the next call asks again.
bool passes_through = false;
bool complained = false;

// One line, by one write, so that lines of several processes do not mix.
void Complain(const char* what, const char* detail) {
  char line[256];
  std::size_t length = 0;
  const auto add = [&](const char* text) {
    for (; *text != '\0' && length < sizeof line - 1; ++text) {
      line[length++] = *text;
    }
  };
  add("aliquot: ");
  add(what);
  add(detail);
  line[length++] = '\n';
  WriteFile(kStandardError, line, length);
}

bool PassThrough() {
  __atomic_store_n(&passes_through, true, __ATOMIC_RELAXED);
  return false;
}

void Claim(ProcessState& state) {
  int slot = -1;
  switch (ClaimSlot(kUsageFile, *state.region, slot)) {
    case ClaimResult::kClaimed:
      __atomic_store_n(&state.slot, slot, __ATOMIC_RELEASE);
      return;
    case ClaimResult::kNoneFree:
      __atomic_store_n(&state.slot, -1, __ATOMIC_RELEASE);
      return;
    case ClaimResult::kDoesNotHold:
      break;
  }
  Complain("usage file /run/aliquot/usage can't hold a lock here; ",
           "each process is held to the container's memory limit by itself");
  state.region = nullptr;
}

// Pre: state.opening is held.
bool OpenUsage(ProcessState& state) {
  state.region = MapUsage(kUsageFile);
  if (state.region == nullptr) {
    Complain("usage file /run/aliquot/usage is missing or damaged; ",
             "each process is held to the container's memory limit by itself");
  } else {
    Claim(state);
  }
  if (state.region == nullptr) {
    state.region = PrivateUsage();
    state.is_private = 1;
    state.slot = 0;
  }
  return state.region != nullptr;
}

bool OpenContainer() {
  struct stat status {};
  if (!PathStatus(kLimitsFile, status)) {
    return PassThrough();
  }
  ProcessState* const state = StateOfProcess();
  if (state == nullptr) {
    if (!__atomic_exchange_n(&complained, true, __ATOMIC_RELAXED)) {
      Complain("no memory, or a kernel older than Linux 4.14; ",
               "this process is not held to its share until there is");
    }
    return false;
  }
  const LockScope locked(state->opening);
  if (state->open != 0) {
    return true;
  }
  switch (state->limits.Open(kLimitsFile)) {
    case LimitsAnswer::kDamaged:
      Complain(
          "limits record /run/aliquot/limits/record can't be used, so this process is not held "
          "to its share: ",
          quota::LimitsFaultName(state->limits.fault()));
      return PassThrough();
    case LimitsAnswer::kNotNow:
      return false;
    case LimitsAnswer::kAbsent:
    case LimitsAnswer::kNotOurs:
      return PassThrough();
    case LimitsAnswer::kEnforced:
      break;
  }
  if (!OpenUsage(*state)) {
    return false;  // no memory; the next call asks again
  }
  state->next_look_ns = ClockNs(CLOCK_MONOTONIC_COARSE) + kLookEveryNs;
  __atomic_store_n(&state->open, 1U, __ATOMIC_RELEASE);
  return true;
}

// The state, and whether the time has come again that `due` says: one thread gets it.
bool Due(std::uint64_t& due, std::uint64_t now) {
  std::uint64_t when = __atomic_load_n(&due, __ATOMIC_RELAXED);
  return now >= when && __atomic_compare_exchange_n(&due, &when, now + kLookEveryNs, false,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

ProcessState& FollowedState(std::uint64_t now) {
  ProcessState& state = *KnownState();
  if (Due(state.next_look_ns, now)) {
    state.limits.Follow(kLimitsFile);
  }
  return state;
}

int ClearDead(void*) {
  const ProcessState& state = *KnownState();
  return state.is_private != 0 ? 0
                               : ClearDeadSlots(kUsageFile, *state.region,
                                                __atomic_load_n(&state.slot, __ATOMIC_ACQUIRE));
}

}  // namespace

bool Enforced() {
  const ProcessState* const state = KnownState();
  if (state != nullptr && __atomic_load_n(&state->open, __ATOMIC_ACQUIRE) != 0) {
    return true;
  }
  return !__atomic_load_n(&passes_through, __ATOMIC_RELAXED) && OpenContainer();
}

int CardCount() { return KnownState()->limits.cards(); }

const std::uint8_t* CardUuid(int card) { return KnownState()->limits.uuid(card); }

MemoryLimit MemoryLimitOf(int card) {
  ProcessState& state = FollowedState(ClockNs(CLOCK_MONOTONIC_COARSE));
  return {state.limits.memory_bytes(card), state.limits.live(card).overhead_bytes};
}

CoreLimit CoreLimitOf(int card) {
  const std::uint64_t now = ClockNs(CLOCK_MONOTONIC_COARSE);
  ProcessState& state = FollowedState(now);
  const std::uint32_t guaranteed = state.limits.guaranteed_percent(card);
  const quota::LiveCard live = state.limits.live(card);
  const bool holds = live.core_now >= 1 && live.core_now <= 100 && now < live.expires_ns;
  return {holds ? live.core_now : guaranteed, live.busy_correction_ns, guaranteed};
}

quota::UsageRegion& Region() { return *KnownState()->region; }

int OwnSlot() {
  ProcessState& state = *KnownState();
  const int slot = __atomic_load_n(&state.slot, __ATOMIC_ACQUIRE);
  if (__builtin_expect(slot >= 0, 1)) {
    return slot;
  }
  if (Due(state.next_claim_ns, ClockNs(CLOCK_MONOTONIC_COARSE))) {
    int claimed = -1;
    if (ClaimSlot(kUsageFile, *state.region, claimed) == ClaimResult::kClaimed) {
      __atomic_store_n(&state.slot, claimed, __ATOMIC_RELEASE);
      return claimed;
    }
  }
  return __atomic_load_n(&state.slot, __ATOMIC_ACQUIRE);
}

quota::SlotReclaimer DeadSlots() { return {ClearDead, YieldProcessor, nullptr}; }

}  // namespace aliquot::interposer
