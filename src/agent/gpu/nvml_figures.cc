// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_figures.h"

#include <algorithm>
#include <map>
#include <optional>

#include "agent/gpu/nvml_processes.h"

namespace aliquot::agent {
namespace {

using nvml::Return;

constexpr std::int64_t kMib = 1 << 20;

Status ReadMemory(NvmlSession& session, nvml::Device device, CardFigures& figures) {
  const nvml::Functions& functions = session.functions();
  if (functions.memory_v2 != nullptr) {
    nvml::MemoryV2 memory = {};
    memory.version = nvml::kMemoryV2Version;
    if (functions.memory_v2(device, &memory) == Return::kSuccess) {
      figures.mib_used = static_cast<std::int64_t>(memory.used) / kMib;
      figures.mib_total = static_cast<std::int64_t>(memory.total) / kMib;
      return Status::Ok();
    }
  }
  nvml::Memory memory = {};
  if (Return r = functions.memory(device, &memory); r != Return::kSuccess) {
    return session.library()->Error(r, "nvmlDeviceGetMemoryInfo");
  }
  figures.mib_used = static_cast<std::int64_t>(memory.used) / kMib;
  figures.mib_total = static_cast<std::int64_t>(memory.total) / kMib;
  return Status::Ok();
}

// The older call may be gone from newer drivers (nvml.h deprecates it since 13.0).
std::optional<int> ReadTemperature(const nvml::Functions& functions, nvml::Device device) {
  if (functions.temperature_v != nullptr) {
    nvml::TemperatureV1 temperature = {};
    temperature.version = nvml::kTemperatureV1Version;
    temperature.sensor = nvml::TemperatureSensor::kGpu;
    if (functions.temperature_v(device, &temperature) == Return::kSuccess) {
      return temperature.celsius;
    }
  }
  unsigned celsius = 0;
  if (functions.temperature != nullptr &&
      functions.temperature(device, nvml::TemperatureSensor::kGpu, &celsius) == Return::kSuccess) {
    return static_cast<int>(celsius);
  }
  return std::nullopt;
}

void ReadGauges(const nvml::Functions& functions, nvml::Device device, CardFigures& figures) {
  nvml::Utilization utilization = {};
  if (functions.utilization != nullptr &&
      functions.utilization(device, &utilization) == Return::kSuccess) {
    figures.gpu_percent = static_cast<int>(utilization.gpu);
    figures.memory_percent = static_cast<int>(utilization.memory);
  }
  figures.temperature_celsius = ReadTemperature(functions, device);
  unsigned milliwatts = 0;
  if (functions.power != nullptr && functions.power(device, &milliwatts) == Return::kSuccess) {
    figures.power_milliwatts = milliwatts;
  }
}

}  // namespace

Result<CardFigures> ReadNvmlFigures(NvmlSession& session, nvml::Device device,
                                    unsigned long long& last_sample) {
  const nvml::Functions& functions = session.functions();
  CardFigures figures;
  if (Status status = ReadMemory(session, device, figures); !status.ok()) {
    return status;
  }
  ReadGauges(functions, device, figures);
  const NvmlSamples samples = ReadNvmlSamples(functions, device, last_sample);
  std::map<pid_t, int> percent;
  for (const CardWork::Sample& each : samples.samples) {
    percent[each.pid] = each.sm_percent;  // the last one holds
    last_sample = std::max<unsigned long long>(last_sample, each.timestamp_us);
  }
  for (const auto& [pid, bytes] : ReadNvmlProcesses(functions, device)) {
    CardProcess process;
    process.pid = pid;
    process.mib = bytes ? static_cast<std::int64_t>(*bytes) / kMib : -1;
    const auto found = percent.find(pid);
    // The driver samples those that worked; the others had nothing to do.
    process.sm_percent = found != percent.end() ? found->second : samples.told ? 0 : -1;
    figures.processes.push_back(process);
  }
  return figures;
}

}  // namespace aliquot::agent
