// SPDX-License-Identifier: Apache-2.0
// NVML's cards: the container's, numbered from 0 in PCI order; of any other the driver's own "not
// found". A null pointer, and every call that comes from inside NVML, goes to the driver as it is.
#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/nvml_cards.h"
#include "interposer/nvml_types.h"

namespace aliquot::interposer {
namespace {

bool Acts(const HookScope& scope, const void* out) {
  return scope.outermost() && out != nullptr && Enforced();
}

nvmlReturn_t CountOf(const DriverCards& driver, unsigned* count) {
  const HookScope scope;
  ShownCards shown;
  if (!Acts(scope, count)) {
    return driver.count(count);
  }
  const nvmlReturn_t answer = ListShownCards(driver, shown);
  if (answer == NVML_SUCCESS) {
    *count = static_cast<unsigned>(shown.count);
  }
  return answer;
}

nvmlReturn_t HandleOf(const DriverCards& driver, unsigned index, nvmlDevice_t* device) {
  const HookScope scope;
  ShownCards shown;
  if (!Acts(scope, device)) {
    return driver.handle(index, device);
  }
  const nvmlReturn_t answer = ListShownCards(driver, shown);
  if (answer != NVML_SUCCESS) {
    return answer;
  }
  if (index >= static_cast<unsigned>(shown.count)) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (shown.answer[index] == NVML_SUCCESS) {
    *device = shown.handle[index];
  }
  return shown.answer[index];
}

// A card looked up by one of its names.
template <typename Name>
nvmlReturn_t LookUp(nvmlReturn_t (*driver)(Name, nvmlDevice_t*), Name name, nvmlDevice_t* device) {
  const HookScope scope;
  if (!Acts(scope, device)) {
    return driver(name, device);
  }
  nvmlDevice_t found = nullptr;
  const nvmlReturn_t answer = driver(name, &found);
  if (answer != NVML_SUCCESS) {
    return answer;
  }
  if (!BelongsHere(found)) {
    return NVML_ERROR_NOT_FOUND;
  }
  *device = found;
  return NVML_SUCCESS;
}

// A list of cards that the driver gives: asked for in full, then less those of others. `ask(count,
// devices)` is the driver's call.
template <typename Ask>
nvmlReturn_t OwnOf(const Ask& ask, unsigned* count, nvmlDevice_t* devices) {
  const HookScope scope;
  if (!Acts(scope, count)) {
    return ask(count, devices);
  }
  nvmlDevice_t all[kMostNvmlCards];
  unsigned found = kMostNvmlCards;
  const nvmlReturn_t answer = ask(&found, all);
  if (answer != NVML_SUCCESS) {
    return answer;
  }
  const unsigned kept = KeepOwn(all, found);
  // Without an array, or without room, the driver only says how many there are.
  for (unsigned i = 0; devices != nullptr && i < kept && i < *count; ++i) {
    devices[i] = all[i];
  }
  *count = devices == nullptr || *count == 0 || kept < *count ? kept : *count;
  return NVML_SUCCESS;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_DRIVER_FUNCTION(nvmlReturn_t, nvmlDeviceGetHandleByIndex_v2,
                        (unsigned index, nvmlDevice_t* device));
ALIQUOT_DRIVER_FUNCTION(nvmlReturn_t, nvmlDeviceGetHandleByIndex,
                        (unsigned index, nvmlDevice_t* device));

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetCount_v2, (unsigned* count)) {
  return ours::CountOf(
      {ALIQUOT_REAL(nvmlDeviceGetCount_v2), ALIQUOT_REAL(nvmlDeviceGetHandleByIndex_v2)}, count);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetCount, (unsigned* count)) {
  return ours::CountOf({ALIQUOT_REAL(nvmlDeviceGetCount), ALIQUOT_REAL(nvmlDeviceGetHandleByIndex)},
                       count);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByIndex_v2, (unsigned index, nvmlDevice_t* device)) {
  return ours::HandleOf(
      {ALIQUOT_REAL(nvmlDeviceGetCount_v2), ALIQUOT_REAL(nvmlDeviceGetHandleByIndex_v2)}, index,
      device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByIndex, (unsigned index, nvmlDevice_t* device)) {
  return ours::HandleOf(
      {ALIQUOT_REAL(nvmlDeviceGetCount), ALIQUOT_REAL(nvmlDeviceGetHandleByIndex)}, index, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByUUID, (const char* uuid, nvmlDevice_t* device)) {
  return ours::LookUp(ALIQUOT_REAL(nvmlDeviceGetHandleByUUID), uuid, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByUUIDV,
             (const nvmlUUID_t* uuid, nvmlDevice_t* device)) {
  return ours::LookUp(ALIQUOT_REAL(nvmlDeviceGetHandleByUUIDV), uuid, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleBySerial,
             (const char* serial, nvmlDevice_t* device)) {
  return ours::LookUp(ALIQUOT_REAL(nvmlDeviceGetHandleBySerial), serial, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByPciBusId_v2,
             (const char* address, nvmlDevice_t* device)) {
  return ours::LookUp(ALIQUOT_REAL(nvmlDeviceGetHandleByPciBusId_v2), address, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetHandleByPciBusId,
             (const char* address, nvmlDevice_t* device)) {
  return ours::LookUp(ALIQUOT_REAL(nvmlDeviceGetHandleByPciBusId), address, device);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetIndex, (nvmlDevice_t device, unsigned* index)) {
  const ours::HookScope scope;
  unsigned of_driver = 0;
  if (!ours::Acts(scope, index)) {
    return ALIQUOT_REAL(nvmlDeviceGetIndex)(device, index);
  }
  const nvmlReturn_t answer = ALIQUOT_REAL(nvmlDeviceGetIndex)(device, &of_driver);
  ours::ShownCards shown;
  if (answer != NVML_SUCCESS || ours::ListShownCards({ALIQUOT_REAL(nvmlDeviceGetCount_v2),
                                                      ALIQUOT_REAL(nvmlDeviceGetHandleByIndex_v2)},
                                                     shown) != NVML_SUCCESS) {
    return answer;
  }
  for (int i = 0; i < shown.count; ++i) {
    if (shown.handle[i] == device) {
      *index = static_cast<unsigned>(i);
      return NVML_SUCCESS;
    }
  }
  if (!ours::BelongsHere(device)) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  *index = of_driver;  // a part of a card is numbered within it
  return NVML_SUCCESS;
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlDeviceGetTopologyNearestGpus,
             (nvmlDevice_t device, nvmlGpuTopologyLevel_t level, unsigned* count,
              nvmlDevice_t* devices)) {
  const auto driver = ALIQUOT_REAL(nvmlDeviceGetTopologyNearestGpus);
  return ours::OwnOf([=](unsigned* n, nvmlDevice_t* to) { return driver(device, level, n, to); },
                     count, devices);
}

ALIQUOT_HOOK(nvmlReturn_t, nvmlSystemGetTopologyGpuSet,
             (unsigned cpu, unsigned* count, nvmlDevice_t* devices)) {
  const auto driver = ALIQUOT_REAL(nvmlSystemGetTopologyGpuSet);
  return ours::OwnOf([=](unsigned* n, nvmlDevice_t* to) { return driver(cpu, n, to); }, count,
                     devices);
}
