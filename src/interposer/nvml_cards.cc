// SPDX-License-Identifier: Apache-2.0
#include "interposer/nvml_cards.h"

#include "interposer/card_names.h"
#include "interposer/container.h"
#include "interposer/hook.h"

ALIQUOT_DRIVER_FUNCTION(nvmlReturn_t, nvmlDeviceGetUUID,
                        (nvmlDevice_t device, char* uuid, unsigned length));
ALIQUOT_DRIVER_FUNCTION(nvmlReturn_t, nvmlDeviceGetPciInfo_v3,
                        (nvmlDevice_t device, nvmlPciInfo_t* pci));
ALIQUOT_DRIVER_FUNCTION(nvmlReturn_t, nvmlDeviceGetDeviceHandleFromMigDeviceHandle,
                        (nvmlDevice_t part, nvmlDevice_t* device));

namespace aliquot::interposer {
namespace {

constexpr unsigned kUuidTextSize = 96;

bool SameUuid(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint8_t difference = 0;
  for (std::size_t i = 0; i < kUuidBytes; ++i) {
    difference = static_cast<std::uint8_t>(difference | (a[i] ^ b[i]));
  }
  return difference == 0;
}

std::uint64_t PlaceOf(nvmlDevice_t device) {
  nvmlPciInfo_t pci;
  if (ALIQUOT_REAL(nvmlDeviceGetPciInfo_v3)(device, &pci) != NVML_SUCCESS) {
    return 0;
  }
  return static_cast<std::uint64_t>(pci.domain) << 32 | (pci.bus & 0xffffffU) << 8 |
         (pci.device & 0xffU);
}

}  // namespace

int CardOfHandle(nvmlDevice_t device) {
  char text[kUuidTextSize];
  std::uint8_t uuid[kUuidBytes];
  if (ALIQUOT_REAL(nvmlDeviceGetUUID)(device, text, sizeof(text)) != NVML_SUCCESS) {
    return -1;
  }
  text[sizeof(text) - 1] = '\0';
  if (!ReadUuid(text, uuid)) {
    return -1;
  }
  for (int card = 0; card < CardCount(); ++card) {
    if (SameUuid(CardUuid(card), uuid)) {
      return card;
    }
  }
  return -1;
}

bool BelongsHere(nvmlDevice_t device) {
  nvmlDevice_t whole = nullptr;
  return CardOfHandle(device) >= 0 || (ALIQUOT_REAL(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)(
                                           device, &whole) == NVML_SUCCESS &&
                                       CardOfHandle(whole) >= 0);
}

unsigned KeepOwn(nvmlDevice_t* devices, unsigned count) {
  unsigned kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (BelongsHere(devices[i])) {
      devices[kept++] = devices[i];
    }
  }
  return kept;
}

int SharedCard(nvmlDevice_t device) {
  const int card = Enforced() ? CardOfHandle(device) : -1;
  return card >= 0 && MemoryLimitOf(card).bytes != ~std::uint64_t{0} ? card : -1;
}

nvmlReturn_t ListShownCards(const DriverCards& driver, ShownCards& shown) {
  unsigned count = 0;
  const nvmlReturn_t answer = driver.count(&count);
  if (answer != NVML_SUCCESS) {
    return answer;
  }
  CardCandidate candidates[kMostNvmlCards];
  int found = 0;
  for (unsigned i = 0; i < count && found < kMostNvmlCards; ++i) {
    nvmlDevice_t device = nullptr;
    const nvmlReturn_t why = driver.handle(i, &device);
    if (why == NVML_SUCCESS) {
      candidates[found++] = {device, 0, CardOfHandle(device), PlaceOf(device)};
    } else {
      candidates[found++] = {nullptr, why, -1, 0};
    }
  }
  shown.count = ArrangeCards(candidates, found, CardCount(), NVML_ERROR_NO_PERMISSION);
  for (int i = 0; i < shown.count; ++i) {
    shown.handle[i] = static_cast<nvmlDevice_t>(candidates[i].handle);
    shown.answer[i] = static_cast<nvmlReturn_t>(candidates[i].answer);
  }
  return NVML_SUCCESS;
}

}  // namespace aliquot::interposer
