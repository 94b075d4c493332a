// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/gpu/nvml_abi.h"

// Declares every function that the agent calls under NVML's own name and with the very types of the
// agent's declarations, so that a definition here that differs does not compile.

namespace aliquot::simgpu {

namespace nvml = ::aliquot::agent::nvml;
using nvml::Device;
using nvml::EnableState;
using nvml::EventData;
using nvml::EventSet;
using nvml::FieldValue;
using nvml::LinkDeviceType;
using nvml::Memory;
using nvml::MemoryV2;
using nvml::PciInfo;
using nvml::ProcessInfo;
using nvml::ProcessSample;
using nvml::Return;
using nvml::TemperatureSensor;
using nvml::TemperatureV1;
using nvml::TopologyLevel;
using nvml::Utilization;

#define SIMGPU_EXPORT extern "C" __attribute__((visibility("default")))
#define SIMGPU_DECLARE(need, member, symbol, older, result, arguments) \
  SIMGPU_EXPORT result symbol arguments;
ALIQUOT_NVML_FUNCTIONS(SIMGPU_DECLARE)
#undef SIMGPU_DECLARE

}  // namespace aliquot::simgpu
