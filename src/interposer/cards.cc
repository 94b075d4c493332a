// SPDX-License-Identifier: Apache-2.0
#include "interposer/cards.h"

#include "interposer/container.h"
#include "interposer/hook.h"
#include "interposer/process_state.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetCurrent, (CUcontext*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetDevice, (CUdevice*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxPushCurrent_v2, (CUcontext));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxPopCurrent_v2, (CUcontext*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetCount, (int*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetUuid, (CUuuid*, CUdevice));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetUuid_v2, (CUuuid*, CUdevice));

namespace aliquot::interposer {
namespace {

constexpr int kKnownFrom = 2;  // so that no card, -1, is 1 and "not asked yet" is 0

bool UuidOf(CUdevice device, CUuuid& uuid) {
  // The second form names the slice in MIG mode; drivers before CUDA 11.4 have the first alone.
  return ALIQUOT_REAL(cuDeviceGetUuid_v2)(&uuid, device) == CUDA_SUCCESS ||
         ALIQUOT_REAL(cuDeviceGetUuid)(&uuid, device) == CUDA_SUCCESS;
}

int CardWithUuid(const CUuuid& uuid) {
  for (int card = 0; card < CardCount(); ++card) {
    const std::uint8_t* const own = CardUuid(card);
    bool same = true;
    for (int i = 0; i < 16; ++i) {
      same = same && static_cast<std::uint8_t>(uuid.bytes[i]) == own[i];
    }
    if (same) {
      return card;
    }
  }
  return -1;
}

struct KeptPlace {
  CUcontext context;
  std::uint32_t change;
  ContextPlace place;
};
__thread KeptPlace kept_place __attribute__((tls_model("initial-exec"))) = {nullptr, 0, {-1, -1}};

CUdevice DeviceOfContext(CUcontext context) {
  if (ALIQUOT_REAL(cuCtxPushCurrent_v2)(context) != CUDA_SUCCESS) {
    return -1;
  }
  CUdevice device = -1;
  const bool known = ALIQUOT_REAL(cuCtxGetDevice)(&device) == CUDA_SUCCESS;
  ALIQUOT_REAL(cuCtxPopCurrent_v2)(&context);
  return known ? device : -1;
}

}  // namespace

ContextPlace PlaceOfContext(CUcontext context) {
  const std::uint32_t change = __atomic_load_n(&KnownState()->context_changes, __ATOMIC_ACQUIRE);
  if (__builtin_expect(kept_place.context == context && kept_place.change == change, 1)) {
    return kept_place.place;
  }
  const CUdevice device = DeviceOfContext(context);
  const ContextPlace place{device, device < 0 ? -1 : CardOfDevice(device)};
  if (device >= 0 && KnownState()->card_of_device[device % kMostDevices] != 0) {
    kept_place = {context, change, place};
  }
  return place;
}

void ForgetContextPlaces() {
  __atomic_fetch_add(&KnownState()->context_changes, 1U, __ATOMIC_RELEASE);
}

int CardOfDevice(CUdevice device) {
  if (device < 0 || device >= kMostDevices) {
    return -1;
  }
  std::int32_t& kept = KnownState()->card_of_device[device];
  const std::int32_t known = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  if (__builtin_expect(known != 0, 1)) {
    return known - kKnownFrom;
  }
  CUuuid uuid{};
  if (!UuidOf(device, uuid)) {
    return -1;  // asked again: CUDA may not have been initialised yet
  }
  const int card = CardWithUuid(uuid);
  __atomic_store_n(&kept, card + kKnownFrom, __ATOMIC_RELAXED);
  return card;
}

int CardOfCurrentContext() {
  CUcontext context = nullptr;
  return ALIQUOT_REAL(cuCtxGetCurrent)(&context) == CUDA_SUCCESS && context != nullptr
             ? PlaceOfContext(context).card
             : -1;
}

CUdevice DeviceOfCard(int card) {
  int devices = 0;
  if (ALIQUOT_REAL(cuDeviceGetCount)(&devices) != CUDA_SUCCESS) {
    return -1;
  }
  for (CUdevice device = 0; device < devices; ++device) {
    if (CardOfDevice(device) == card) {
      return device;
    }
  }
  return -1;
}

}  // namespace aliquot::interposer
