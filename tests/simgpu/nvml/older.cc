// SPDX-License-Identifier: Apache-2.0
// Functions that programs call and the agent does not: lists of processes of all versions, modes.
// Compiled against NVIDIA's nvml.h, and with it only. As NVIDIA's, they call NVML's newer functions
// by their exported names.
#pragma GCC visibility push(default)
#include <nvml.h>
#pragma GCC visibility pop

#include <fstream>
#include <string>
#include <vector>

#include "tests/simgpu/nvml/world.h"

using aliquot::simgpu::Call;

namespace {

// The older functions are declared only for those who ask for no newer ones.
#define SIMGPU_OLDER extern "C" __attribute__((visibility("default"))) nvmlReturn_t

aliquot::simgpu::nvml::Device Plain(nvmlDevice_t device) {
  return reinterpret_cast<aliquot::simgpu::nvml::Device>(device);
}

nvmlReturn_t AnswerOf(const Call& call) { return static_cast<nvmlReturn_t>(call.answer()); }

nvmlReturn_t Text(const std::string& text, char* out, unsigned length) {
  return static_cast<nvmlReturn_t>(aliquot::simgpu::CopyText(text, out, length));
}

// Of version 1: a process ID and its bytes.
nvmlReturn_t Shorten(nvmlReturn_t (*newest)(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*),
                     nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v1_t* infos) {
  if (count == nullptr) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  std::vector<nvmlProcessInfo_t> all(*count);
  const nvmlReturn_t answer = newest(device, count, infos == nullptr ? nullptr : all.data());
  for (unsigned i = 0; answer == NVML_SUCCESS && i < *count; ++i) {
    infos[i] = {all[i].pid, all[i].usedGpuMemory};
  }
  return answer;
}

nvmlReturn_t Widen(nvmlReturn_t (*newest)(nvmlDevice_t, unsigned*, nvmlProcessInfo_t*),
                   nvmlDevice_t device, unsigned* count, nvmlProcessInfo_v2_t* infos) {
  static_assert(sizeof(nvmlProcessInfo_v2_t) == sizeof(nvmlProcessInfo_t));
  return newest(device, count, reinterpret_cast<nvmlProcessInfo_t*>(infos));
}

}  // namespace

#undef nvmlDeviceGetComputeRunningProcesses
#undef nvmlDeviceGetGraphicsRunningProcesses
#undef nvmlDeviceGetMPSComputeRunningProcesses

nvmlReturn_t nvmlSystemGetProcessName(unsigned pid, char* name, unsigned length) {
  const Call call("nvmlSystemGetProcessName");
  if (!call.ok()) {
    return AnswerOf(call);
  }
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
  std::string words;
  if (!std::getline(in, words, '\0')) {
    return NVML_ERROR_NOT_FOUND;
  }
  return Text(words.substr(0, length == 0 ? 0 : length - 1), name, length);
}

SIMGPU_OLDER nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  return Shorten(&nvmlDeviceGetComputeRunningProcesses_v3, device, count, infos);
}
SIMGPU_OLDER nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                   nvmlProcessInfo_v1_t* infos) {
  return Shorten(&nvmlDeviceGetGraphicsRunningProcesses_v3, device, count, infos);
}
SIMGPU_OLDER nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                      nvmlProcessInfo_v2_t* infos) {
  return Widen(&nvmlDeviceGetGraphicsRunningProcesses_v3, device, count, infos);
}
SIMGPU_OLDER nvmlDeviceGetMPSComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_v1_t* infos) {
  return Shorten(&nvmlDeviceGetMPSComputeRunningProcesses_v3, device, count, infos);
}
SIMGPU_OLDER nvmlDeviceGetMPSComputeRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                        nvmlProcessInfo_v2_t* infos) {
  return Widen(&nvmlDeviceGetMPSComputeRunningProcesses_v3, device, count, infos);
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t* mode) {
  const Call call("nvmlDeviceGetPersistenceMode", Plain(device));
  if (call.ok()) {
    *mode = NVML_FEATURE_ENABLED;
  }
  return AnswerOf(call);
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t* mode) {
  const Call call("nvmlDeviceGetComputeMode", Plain(device));
  if (call.ok()) {
    *mode = NVML_COMPUTEMODE_DEFAULT;
  }
  return AnswerOf(call);
}

nvmlReturn_t nvmlDeviceGetProcessesUtilizationInfo(nvmlDevice_t device,
                                                   nvmlProcessesUtilizationInfo_t* info) {
  if (info == nullptr || info->version != nvmlProcessesUtilizationInfo_v1) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  std::vector<nvmlProcessUtilizationSample_t> samples(info->processSamplesCount);
  const nvmlReturn_t answer = nvmlDeviceGetProcessUtilization(
      device, info->procUtilArray == nullptr ? nullptr : samples.data(), &info->processSamplesCount,
      info->lastSeenTimeStamp);
  for (unsigned i = 0; answer == NVML_SUCCESS && i < info->processSamplesCount; ++i) {
    info->procUtilArray[i] = {samples[i].timeStamp,
                              samples[i].pid,
                              samples[i].smUtil,
                              samples[i].memUtil,
                              samples[i].encUtil,
                              samples[i].decUtil,
                              0,
                              0};
  }
  return answer;
}
