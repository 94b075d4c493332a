// SPDX-License-Identifier: Apache-2.0
// Initialization and what a device is.
#include <cstdio>
#include <cstring>

#include "tests/simgpu/cuda/driver.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuInit(unsigned flags) {
  SIM_ENTER(kNothing);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : entry.driver().Init();
}

CUresult cuDriverGetVersion(int* version) {
  SIM_ENTER(kNothing);
  if (version == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  // May be asked before cuInit.
  Driver& driver = entry.driver();
  if (driver.world == nullptr) {
    driver.world = WorldFile::Open();
  }
  *version = driver.world == nullptr ? 0 : driver.world->layout().cuda_version;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  SIM_ENTER(kDriver);
  if (count == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *count = static_cast<int>(entry.driver().devices.size());
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  SIM_ENTER(kDriver);
  if (device == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!entry.driver().Valid(ordinal)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *device = ordinal;
  return CUDA_SUCCESS;
}

#define SIM_DEVICE(device, pointer)    \
  SIM_ENTER(kDriver);                  \
  if ((pointer) == nullptr) {          \
    return CUDA_ERROR_INVALID_VALUE;   \
  }                                    \
  if (!entry.driver().Valid(device)) { \
    return CUDA_ERROR_INVALID_DEVICE;  \
  }                                    \
  const CardLayout& card = entry.driver().CardOf(device)

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  SIM_DEVICE(device, name);
  if (length <= 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::snprintf(name, static_cast<std::size_t>(length), "%s", card.model);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  SIM_DEVICE(device, uuid);
  std::memcpy(uuid->bytes, card.uuid_bytes, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  SIM_DEVICE(device, uuid);
  std::memcpy(uuid->bytes, card.uuid_bytes, sizeof(uuid->bytes));
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  SIM_DEVICE(device, bytes);
  *bytes = card.memory - card.reserved;
  return CUDA_SUCCESS;
}

// A card of 4 GiB and more says 4 GiB less one.
CUresult cuDeviceTotalMem(unsigned* bytes, CUdevice device) {
  SIM_DEVICE(device, bytes);
  const std::uint64_t all = card.memory - card.reserved;
  *bytes = all > ~0U ? ~0U : static_cast<unsigned>(all);
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  SIM_DEVICE(device, major);
  if (minor == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *major = card.cc_major;
  *minor = card.cc_minor;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  SIM_DEVICE(device, text);
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned slot = 0;
  unsigned function = 0;
  std::sscanf(card.pci, "%x:%x:%x.%x", &domain, &bus, &slot, &function);
  char full[32];
  const int wanted =
      std::snprintf(full, sizeof(full), "%04X:%02X:%02X.%X", domain, bus, slot, function);
  if (length <= wanted) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(text, full, static_cast<std::size_t>(wanted) + 1);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  SIM_ENTER(kDriver);
  if (device == nullptr || text == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  unsigned asked[4] = {};
  if (std::sscanf(text, "%x:%x:%x.%x", &asked[0], &asked[1], &asked[2], &asked[3]) < 3) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (int i = 0; entry.driver().Valid(i); ++i) {
    unsigned has[4] = {};
    std::sscanf(entry.driver().CardOf(i).pci, "%x:%x:%x.%x", &has[0], &has[1], &has[2], &has[3]);
    if (std::memcmp(asked, has, sizeof(has)) == 0) {
      *device = i;
      return CUDA_SUCCESS;
    }
  }
  return CUDA_ERROR_INVALID_DEVICE;
}
