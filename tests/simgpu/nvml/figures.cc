// SPDX-License-Identifier: Apache-2.0
// Gauges and processes; what the state file does not tell is not supported.
#include <sys/time.h>

#include <algorithm>
#include <vector>

#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {
namespace {

// NVML's way to give a list: without room it says how much is wanted.
Return FillProcesses(const std::vector<Process>& processes, unsigned* count, ProcessInfo* infos) {
  const unsigned room = *count;
  *count = static_cast<unsigned>(processes.size());
  if (processes.empty()) {
    return Return::kSuccess;
  }
  if (room < processes.size() || infos == nullptr) {
    return Return::kInsufficientSize;
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    infos[i] = {};
    infos[i].pid = processes[i].pid;
    infos[i].used_gpu_memory = processes[i].mib < 0
                                   ? nvml::kMemoryNotAvailable
                                   : static_cast<unsigned long long>(processes[i].mib) << 20;
    infos[i].gpu_instance_id = ~0U;
    infos[i].compute_instance_id = ~0U;
  }
  return Return::kSuccess;
}

unsigned long long NowUs() {
  struct timeval now = {};
  gettimeofday(&now, nullptr);
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000 +
         static_cast<unsigned long long>(now.tv_usec);
}

Return Gauge(const Call& call, const std::optional<int>& told, unsigned* value) {
  if (!call.ok()) {
    return call.answer();
  }
  if (!told) {
    return Return::kNotSupported;
  }
  *value = static_cast<unsigned>(*told);
  return Return::kSuccess;
}

}  // namespace

Return nvmlDeviceGetUtilizationRates(Device device, Utilization* utilization) {
  const Call call("nvmlDeviceGetUtilizationRates", device);
  if (!call.ok()) {
    return call.answer();
  }
  if (!call.card().gpu_percent) {
    return Return::kNotSupported;
  }
  utilization->gpu = static_cast<unsigned>(*call.card().gpu_percent);
  utilization->memory = static_cast<unsigned>(call.card().memory_percent.value_or(0));
  return Return::kSuccess;
}

Return nvmlDeviceGetTemperature(Device device, TemperatureSensor, unsigned* celsius) {
  const Call call("nvmlDeviceGetTemperature", device);
  return Gauge(call, call.ok() ? call.card().temperature_celsius : std::nullopt, celsius);
}

Return nvmlDeviceGetTemperatureV(Device device, TemperatureV1* temperature) {
  const Call call("nvmlDeviceGetTemperatureV", device);
  unsigned celsius = 0;
  if (call.ok() && temperature->version != nvml::kTemperatureV1Version) {
    return nvml::Return::kInvalidArgument;
  }
  const Return answer =
      Gauge(call, call.ok() ? call.card().temperature_celsius : std::nullopt, &celsius);
  temperature->celsius = static_cast<int>(celsius);
  return answer;
}

Return nvmlDeviceGetPowerUsage(Device device, unsigned* milliwatts) {
  const Call call("nvmlDeviceGetPowerUsage", device);
  return Gauge(call, call.ok() ? call.card().power_milliwatts : std::nullopt, milliwatts);
}

Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo* infos) {
  const Call call("nvmlDeviceGetComputeRunningProcesses_v3", device);
  return call.ok() ? FillProcesses(call.card().processes, count, infos) : call.answer();
}

// The first process draws as well: the driver then has it in both lists with the same memory.
Return nvmlDeviceGetGraphicsRunningProcesses_v3(Device device, unsigned* count,
                                                ProcessInfo* infos) {
  const Call call("nvmlDeviceGetGraphicsRunningProcesses_v3", device);
  if (!call.ok()) {
    return call.answer();
  }
  const std::vector<Process>& all = call.card().processes;
  const std::vector<Process> drawing(all.begin(), all.begin() + (all.empty() ? 0 : 1));
  return FillProcesses(drawing, count, infos);
}

Return nvmlDeviceGetMPSComputeRunningProcesses_v3(Device device, unsigned* count, ProcessInfo*) {
  const Call call("nvmlDeviceGetMPSComputeRunningProcesses_v3", device);
  if (call.ok()) {
    *count = 0;
  }
  return call.answer();
}

Return nvmlDeviceGetProcessUtilization(Device device, ProcessSample* samples, unsigned* count,
                                       unsigned long long last_seen) {
  const Call call("nvmlDeviceGetProcessUtilization", device);
  if (!call.ok()) {
    return call.answer();
  }
  const unsigned long long now = NowUs();
  std::vector<ProcessSample> working;
  if (call.in_world()) {
    for (const ProcessSince& each : call.WorkSince(last_seen)) {
      working.push_back({each.pid, each.epoch_us, each.percent, 0, 0, 0});
    }
  }
  for (const Process& each : call.card().processes) {
    if (!call.in_world() && each.sm_percent > 0 && now > last_seen) {
      working.push_back({each.pid, now, static_cast<unsigned>(each.sm_percent), 0, 0, 0});
    }
  }
  if (working.empty()) {
    return Return::kNotFound;
  }
  const unsigned room = *count;
  *count = static_cast<unsigned>(working.size());
  if (samples == nullptr || room < working.size()) {
    return Return::kInsufficientSize;
  }
  std::copy(working.begin(), working.end(), samples);
  return Return::kSuccess;
}

}  // namespace aliquot::simgpu
