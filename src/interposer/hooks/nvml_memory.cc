// SPDX-License-Identifier: Apache-2.0
// A card's memory as NVML tells it: the share's, by the same rule as CUDA's (ViewOf), so that used
// and free add up to the total. The driver keeps nothing for itself out of a share.
#include "interposer/hook.h"
#include "interposer/memory_charge.h"
#include "interposer/nvml_cards.h"
#include "interposer/nvml_types.h"

namespace aliquot::interposer {
namespace {

void NothingReserved(nvmlMemory_t&) {}
void NothingReserved(nvmlMemory_v2_t& memory) { memory.reserved = 0; }

template <typename Memory>
nvmlReturn_t ShareMemory(nvmlReturn_t (*driver)(nvmlDevice_t, Memory*), nvmlDevice_t device,
                         Memory* memory) {
  const HookScope scope;
  const nvmlReturn_t answer = driver(device, memory);
  const int card = scope.outermost() && answer == NVML_SUCCESS ? SharedCard(device) : -1;
  if (card >= 0) {
    const MemoryView view = ViewOf(card, memory->total, memory->free);
    memory->total = view.total;
    memory->free = view.free;
    memory->used = view.total - view.free;
    NothingReserved(*memory);
  }
  return answer;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetMemoryInfo, (nvmlDevice_t device, nvmlMemory_t* memory)) {
  return ours::ShareMemory(ALIQUOT_REAL(nvmlDeviceGetMemoryInfo), device, memory);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetMemoryInfo_v2,
             (nvmlDevice_t device, nvmlMemory_v2_t* memory)) {
  return ours::ShareMemory(ALIQUOT_REAL(nvmlDeviceGetMemoryInfo_v2), device, memory);
}
