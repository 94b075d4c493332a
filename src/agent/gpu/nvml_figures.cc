// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_figures.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace aliquot::agent {
namespace {

using nvml::Return;

constexpr std::int64_t kMib = 1 << 20;
constexpr unsigned kMaxProcesses = 4096;
// Between asking for the count and asking for the list, this many may have started.
constexpr unsigned kSpare = 16;

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

using ProcessList = Return (*)(nvml::Device, unsigned*, nvml::ProcessInfo*);

// Adds one of the driver's lists; a process that is in several has the same figure in each.
void AddProcesses(ProcessList list, nvml::Device device, std::map<pid_t, std::int64_t>& mib) {
  if (list == nullptr) {
    return;
  }
  unsigned count = 0;
  if (list(device, &count, nullptr) != Return::kInsufficientSize) {
    return;  // none, or not supported
  }
  std::vector<nvml::ProcessInfo> infos(std::min(count, kMaxProcesses) + kSpare);
  count = static_cast<unsigned>(infos.size());
  if (list(device, &count, infos.data()) != Return::kSuccess) {
    return;
  }
  infos.resize(std::min<std::size_t>(count, infos.size()));
  for (const nvml::ProcessInfo& each : infos) {
    const std::int64_t used = each.used_gpu_memory == nvml::kMemoryNotAvailable
                                  ? -1
                                  : static_cast<std::int64_t>(each.used_gpu_memory) / kMib;
    auto [at, added] = mib.emplace(static_cast<pid_t>(each.pid), used);
    at->second = std::max(at->second, used);
  }
}

// Percent of each process with a sample since the last reading. False: the driver does not tell.
bool ReadSamples(const nvml::Functions& functions, nvml::Device device,
                 unsigned long long& last_sample, std::map<pid_t, int>& percent) {
  if (functions.process_utilization == nullptr) {
    return false;
  }
  unsigned count = 0;
  Return answer = functions.process_utilization(device, nullptr, &count, last_sample);
  if (answer == Return::kNotFound || (answer == Return::kSuccess && count == 0)) {
    return true;  // nobody worked
  }
  if (answer != Return::kInsufficientSize && answer != Return::kSuccess) {
    return false;
  }
  std::vector<nvml::ProcessSample> samples(std::min(count, kMaxProcesses) + kSpare);
  count = static_cast<unsigned>(samples.size());
  answer = functions.process_utilization(device, samples.data(), &count, last_sample);
  if (answer != Return::kSuccess) {
    return answer == Return::kNotFound;
  }
  samples.resize(std::min<std::size_t>(count, samples.size()));
  std::sort(samples.begin(), samples.end(),
            [](const nvml::ProcessSample& a, const nvml::ProcessSample& b) {
              return a.timestamp < b.timestamp;
            });
  for (const nvml::ProcessSample& each : samples) {
    percent[static_cast<pid_t>(each.pid)] = static_cast<int>(std::min(each.sm_percent, 100U));
    last_sample = std::max(last_sample, each.timestamp);
  }
  return true;
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
  std::map<pid_t, std::int64_t> mib;
  AddProcesses(functions.compute_processes, device, mib);
  AddProcesses(functions.graphics_processes, device, mib);
  AddProcesses(functions.mps_processes, device, mib);
  std::map<pid_t, int> percent;
  const bool sampled = ReadSamples(functions, device, last_sample, percent);
  for (const auto& [pid, used] : mib) {
    CardProcess process;
    process.pid = pid;
    process.mib = used;
    const auto found = percent.find(pid);
    // The driver samples those that worked; the others had nothing to do.
    process.sm_percent = found != percent.end() ? found->second : sampled ? 0 : -1;
    figures.processes.push_back(process);
  }
  return figures;
}

}  // namespace aliquot::agent
