// SPDX-License-Identifier: Apache-2.0
// A driver of long ago that the agent still takes: only what it needs, under the older names. One
// card.
#include <cstring>

#include "agent/gpu/nvml_abi.h"

namespace nvml = aliquot::agent::nvml;
using nvml::Return;

struct aliquot::agent::nvml::DeviceHandle {
  char unused;
};

#define BARE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

nvml::DeviceHandle only_card;

Return Copy(const char* text, char* buffer, unsigned length) {
  if (std::strlen(text) + 1 > length) {
    return Return::kInsufficientSize;
  }
  std::strcpy(buffer, text);
  return Return::kSuccess;
}

}  // namespace

BARE_EXPORT Return nvmlInit() { return Return::kSuccess; }
BARE_EXPORT Return nvmlShutdown() { return Return::kSuccess; }

BARE_EXPORT Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return Copy("390.157", version, length);
}

BARE_EXPORT Return nvmlDeviceGetCount(unsigned* count) {
  *count = 1;
  return Return::kSuccess;
}

BARE_EXPORT Return nvmlDeviceGetHandleByIndex(unsigned, nvml::Device* device) {
  *device = &only_card;
  return Return::kSuccess;
}

BARE_EXPORT Return nvmlDeviceGetUUID(nvml::Device, char* uuid, unsigned length) {
  return Copy("GPU-00000000-0000-0000-0000-000000000390", uuid, length);
}

BARE_EXPORT Return nvmlDeviceGetMinorNumber(nvml::Device, unsigned* minor) {
  *minor = 0;
  return Return::kSuccess;
}

BARE_EXPORT Return nvmlDeviceGetName(nvml::Device, char* name, unsigned length) {
  return Copy("Tesla K80", name, length);
}

BARE_EXPORT Return nvmlDeviceGetMemoryInfo(nvml::Device, nvml::Memory* memory) {
  *memory = {11441ULL << 20, 11341ULL << 20, 100ULL << 20};
  return Return::kSuccess;
}

// As older libraries do it: nothing past pci_subsystem_id is written.
BARE_EXPORT Return nvmlDeviceGetPciInfo_v2(nvml::Device, nvml::PciInfo* pci) {
  std::strcpy(pci->bus_id_legacy, "0000:84:00.0");
  pci->domain = 0;
  pci->bus = 0x84;
  pci->device = 0;
  return Return::kSuccess;
}
