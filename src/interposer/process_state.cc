// SPDX-License-Identifier: Apache-2.0
#include "interposer/process_state.h"

#include "interposer/system_calls.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kSize = (sizeof(ProcessState) + 4095) / 4096 * 4096;

ProcessState* state = nullptr;

ProcessState* Make() {
  void* const bytes =
      MapMemory(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (bytes == nullptr) {
    return nullptr;
  }
  if (!AdviseMemory(bytes, kSize, MADV_WIPEONFORK)) {
    UnmapMemory(bytes, kSize);
    return nullptr;
  }
  ProcessState* expected = nullptr;
  if (__atomic_compare_exchange_n(&state, &expected, static_cast<ProcessState*>(bytes), false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return static_cast<ProcessState*>(bytes);
  }
  UnmapMemory(bytes, kSize);  // another thread was faster
  return expected;
}

}  // namespace

ProcessState* KnownState() { return __atomic_load_n(&state, __ATOMIC_ACQUIRE); }

ProcessState* StateOfProcess() {
  ProcessState* const known = KnownState();
  return __builtin_expect(known != nullptr, 1) ? known : Make();
}

AllocationTable& Allocations() { return StateOfProcess()->allocations; }

}  // namespace aliquot::interposer
