// SPDX-License-Identifier: Apache-2.0
// What CUDA says of a card's memory: the share's, by the same rule as NVML (ViewOf).
//
// The driver is asked first, with the caller's own pointers, so that it judges them (a null pointer
// among them, which some programs pass on purpose); what it wrote is then replaced.
#include "interposer/cards.h"
#include "interposer/container.h"
#include "interposer/cuda_types.h"
#include "interposer/hook.h"
#include "interposer/memory_charge.h"

namespace aliquot::interposer {
namespace {

using MemoryInfo = CUresult(std::size_t* free, std::size_t* total);
using TotalMemory = CUresult(std::size_t* bytes, CUdevice device);

// The functions of CUDA 2 count in 32 bits.
template <typename Number>
void Put(Number* where, std::uint64_t bytes) {
  constexpr std::uint64_t kMost = static_cast<Number>(~Number{0});
  if (where != nullptr) {
    *where = static_cast<Number>(bytes < kMost ? bytes : kMost);
  }
}

template <typename Number>
CUresult ShareInfo(CUresult (*driver)(Number*, Number*), MemoryInfo* in_full, Number* free,
                   Number* total) {
  const HookScope scope;
  const CUresult result = driver(free, total);
  const int card =
      scope.outermost() && result == CUDA_SUCCESS && Enforced() ? CardOfCurrentContext() : -1;
  std::size_t driver_free = 0;
  std::size_t driver_total = 0;
  if (card >= 0 && in_full(&driver_free, &driver_total) == CUDA_SUCCESS) {
    const MemoryView view = ViewOf(card, driver_total, driver_free);
    Put(free, view.free);
    Put(total, view.total);
  }
  return result;
}

template <typename Number>
CUresult ShareTotal(CUresult (*driver)(Number*, CUdevice), TotalMemory* in_full, Number* bytes,
                    CUdevice device) {
  const HookScope scope;
  const CUresult result = driver(bytes, device);
  const int card =
      scope.outermost() && result == CUDA_SUCCESS && Enforced() ? CardOfDevice(device) : -1;
  std::size_t driver_total = 0;
  if (card >= 0 && in_full(&driver_total, device) == CUDA_SUCCESS) {
    Put(bytes, ViewOf(card, driver_total, driver_total).total);
  }
  return result;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuMemGetInfo_v2, (std::size_t * free, std::size_t* total)) {
  const auto driver = ALIQUOT_REAL(cuMemGetInfo_v2);
  return ours::ShareInfo(driver, driver, free, total);
}

ALIQUOT_HOOK(CUresult, cuMemGetInfo, (unsigned* free, unsigned* total)) {
  return ours::ShareInfo(ALIQUOT_REAL(cuMemGetInfo), ALIQUOT_REAL(cuMemGetInfo_v2), free, total);
}

ALIQUOT_HOOK(CUresult, cuDeviceTotalMem_v2, (std::size_t * bytes, CUdevice device)) {
  const auto driver = ALIQUOT_REAL(cuDeviceTotalMem_v2);
  return ours::ShareTotal(driver, driver, bytes, device);
}

ALIQUOT_HOOK(CUresult, cuDeviceTotalMem, (unsigned* bytes, CUdevice device)) {
  return ours::ShareTotal(ALIQUOT_REAL(cuDeviceTotalMem), ALIQUOT_REAL(cuDeviceTotalMem_v2), bytes,
                          device);
}
