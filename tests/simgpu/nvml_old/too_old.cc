// SPDX-License-Identifier: Apache-2.0
// A library that is too old for the agent: cards without UUIDs and minor numbers.
#include "agent/gpu/nvml_abi.h"

namespace nvml = aliquot::agent::nvml;
using nvml::Return;

#define OLD_EXPORT extern "C" __attribute__((visibility("default")))

OLD_EXPORT Return nvmlInit() { return Return::kSuccess; }
OLD_EXPORT Return nvmlShutdown() { return Return::kSuccess; }
OLD_EXPORT Return nvmlSystemGetDriverVersion(char*, unsigned) { return Return::kUnknown; }
OLD_EXPORT Return nvmlDeviceGetCount(unsigned*) { return Return::kUnknown; }
OLD_EXPORT Return nvmlDeviceGetHandleByIndex(unsigned, nvml::Device*) { return Return::kUnknown; }
OLD_EXPORT Return nvmlDeviceGetName(nvml::Device, char*, unsigned) { return Return::kUnknown; }
OLD_EXPORT Return nvmlDeviceGetMemoryInfo(nvml::Device, nvml::Memory*) { return Return::kUnknown; }
OLD_EXPORT Return nvmlDeviceGetPciInfo_v2(nvml::Device, nvml::PciInfo*) { return Return::kUnknown; }
