// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_processes.h"

#include <algorithm>

namespace aliquot::agent {
namespace {

using nvml::Return;
using ProcessList = Return (*)(nvml::Device, unsigned*, nvml::ProcessInfo*);
using Processes = std::map<pid_t, std::optional<std::uint64_t>>;

constexpr unsigned kMaxProcesses = 4096;
// Between asking for the count and asking for the list, this many may have started.
constexpr unsigned kSpare = 16;

// No card has so much memory: what the driver says beyond it is no figure. It would end processes
// that did nothing.
constexpr std::uint64_t kNoCardHas = std::uint64_t{1} << 44;  // 16 TiB

// Adds one of the driver's lists; a process that is in several has the same figure in each.
Return AddProcesses(ProcessList list, nvml::Device device, Processes& processes) {
  if (list == nullptr) {
    return Return::kNotSupported;
  }
  unsigned count = 0;
  Return answer = list(device, &count, nullptr);
  if (answer != Return::kInsufficientSize) {
    return answer;
  }
  std::vector<nvml::ProcessInfo> infos(std::min(count, kMaxProcesses) + kSpare);
  count = static_cast<unsigned>(infos.size());
  answer = list(device, &count, infos.data());
  if (answer != Return::kSuccess) {
    return answer;
  }
  infos.resize(std::min<std::size_t>(count, infos.size()));
  for (const nvml::ProcessInfo& each : infos) {
    std::optional<std::uint64_t>& bytes = processes[static_cast<pid_t>(each.pid)];
    if (each.used_gpu_memory < kNoCardHas) {  // nor nvml::kMemoryNotAvailable
      bytes = std::max<std::uint64_t>(bytes.value_or(0), each.used_gpu_memory);
    }
  }
  return Return::kSuccess;
}

}  // namespace

std::map<pid_t, std::optional<std::uint64_t>> ReadNvmlProcesses(const nvml::Functions& functions,
                                                                nvml::Device device) {
  Processes processes;
  AddProcesses(functions.compute_processes, device, processes);
  AddProcesses(functions.graphics_processes, device, processes);
  AddProcesses(functions.mps_processes, device, processes);
  return processes;
}

NvmlSamples ReadNvmlSamples(const nvml::Functions& functions, nvml::Device device,
                            unsigned long long since) {
  NvmlSamples read;
  if (functions.process_utilization == nullptr) {
    return read;
  }
  unsigned count = 0;
  Return answer = functions.process_utilization(device, nullptr, &count, since);
  if (answer == Return::kNotFound || (answer == Return::kSuccess && count == 0)) {
    read.told = true;  // nobody worked
    return read;
  }
  if (answer != Return::kInsufficientSize && answer != Return::kSuccess) {
    return read;
  }
  std::vector<nvml::ProcessSample> samples(std::min(count, kMaxProcesses) + kSpare);
  count = static_cast<unsigned>(samples.size());
  answer = functions.process_utilization(device, samples.data(), &count, since);
  read.told = answer == Return::kSuccess || answer == Return::kNotFound;
  if (answer != Return::kSuccess) {
    return read;
  }
  samples.resize(std::min<std::size_t>(count, samples.size()));
  for (const nvml::ProcessSample& each : samples) {
    read.samples.push_back({static_cast<pid_t>(each.pid), each.timestamp,
                            static_cast<int>(std::min(each.sm_percent, 100U))});
  }
  std::stable_sort(read.samples.begin(), read.samples.end(),
                   [](const CardWork::Sample& a, const CardWork::Sample& b) {
                     return a.timestamp_us < b.timestamp_us;
                   });
  return read;
}

Result<CardWork> ReadNvmlWork(NvmlSession& session, nvml::Device device, std::uint64_t since_us) {
  const nvml::Functions& functions = session.functions();
  Processes processes;
  const Return answer = AddProcesses(functions.compute_processes, device, processes);
  if (answer != Return::kSuccess && answer != Return::kNotSupported) {
    // A look that failed must not pass for a card that nobody uses.
    return session.library()->Error(answer, "nvmlDeviceGetComputeRunningProcesses");
  }
  AddProcesses(functions.graphics_processes, device, processes);
  AddProcesses(functions.mps_processes, device, processes);
  CardWork work;
  for (const auto& [pid, bytes] : processes) {
    work.processes.push_back({pid, bytes});
  }
  NvmlSamples samples = ReadNvmlSamples(functions, device, since_us);
  work.samples = std::move(samples.samples);
  work.sampled = samples.told;
  return work;
}

}  // namespace aliquot::agent
