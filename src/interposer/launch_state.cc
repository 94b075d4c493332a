// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_state.h"

#include <sys/mman.h>

#include "interposer/system_calls.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace aliquot::interposer {
namespace {

LaunchState* the_state = nullptr;

}  // namespace

LaunchState* OwnLaunchState() {
  LaunchState* known = __atomic_load_n(&the_state, __ATOMIC_ACQUIRE);
  if (__builtin_expect(known != nullptr, 1)) {
    return known;
  }
  void* const memory =
      MapMemory(nullptr, sizeof(LaunchState), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS);
  if (memory == nullptr) {
    return nullptr;
  }
  AdviseMemory(memory, sizeof(LaunchState), MADV_WIPEONFORK);
  auto* const made = static_cast<LaunchState*>(memory);
  if (__atomic_compare_exchange_n(&the_state, &known, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return made;
  }
  UnmapMemory(memory, sizeof(LaunchState));
  return known;
}

}  // namespace aliquot::interposer
