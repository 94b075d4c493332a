// SPDX-License-Identifier: Apache-2.0
// Details of processes, their accounts, and cards by serial number and by structures of names.
// Compiled against NVIDIA's nvml.h, and with it only.
#pragma GCC visibility push(default)
#include <nvml.h>
#pragma GCC visibility pop

#include <strings.h>

#include <string>
#include <vector>

#include "tests/simgpu/nvml/world.h"

using aliquot::simgpu::Call;

namespace {

aliquot::simgpu::nvml::Device Plain(nvmlDevice_t device) {
  return reinterpret_cast<aliquot::simgpu::nvml::Device>(device);
}

nvmlReturn_t AnswerOf(const Call& call) { return static_cast<nvmlReturn_t>(call.answer()); }

// A card's serial number is 1 and six digits of its minor number.
std::string SerialOf(const aliquot::simgpu::Card& card) {
  const std::string digits = std::to_string(card.minor);
  return "1" + std::string(6 - digits.size(), '0') + digits;
}

template <typename Is>
nvmlReturn_t Find(const char* function, nvmlDevice_t* device, const Is& is) {
  const Call call(function);
  if (!call.ok()) {
    return AnswerOf(call);
  }
  for (std::size_t i = 0; i < call.machine().cards.size(); ++i) {
    if (is(call.machine().cards[i])) {
      *device = reinterpret_cast<nvmlDevice_t>(aliquot::simgpu::HandleOf(i));
      return NVML_SUCCESS;
    }
  }
  return NVML_ERROR_NOT_FOUND;
}

unsigned long long BytesOf(const aliquot::simgpu::Process& process) {
  return process.mib < 0 ? 0 : static_cast<unsigned long long>(process.mib) << 20;
}

const aliquot::simgpu::Process* ProcessOf(const Call& call, unsigned pid) {
  for (const aliquot::simgpu::Process& each : call.card().processes) {
    if (each.pid == pid) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace

nvmlReturn_t nvmlDeviceGetHandleBySerial(const char* serial, nvmlDevice_t* device) {
  return Find("nvmlDeviceGetHandleBySerial", device,
              [serial](const aliquot::simgpu::Card& card) { return SerialOf(card) == serial; });
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char* serial, unsigned length) {
  const Call call("nvmlDeviceGetSerial", Plain(device));
  return call.ok() ? static_cast<nvmlReturn_t>(
                         aliquot::simgpu::CopyText(SerialOf(call.card()), serial, length))
                   : AnswerOf(call);
}

nvmlReturn_t nvmlDeviceGetHandleByUUIDV(const nvmlUUID_t* uuid, nvmlDevice_t* device) {
  if (uuid->version != nvmlUUID_v1) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  if (uuid->type != NVML_UUID_TYPE_ASCII) {
    return NVML_ERROR_NOT_SUPPORTED;
  }
  return Find("nvmlDeviceGetHandleByUUIDV", device, [uuid](const aliquot::simgpu::Card& card) {
    return strcasecmp(card.uuid.c_str(), uuid->value.str) == 0;
  });
}

// Every card is near every processor.
nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned, unsigned* count, nvmlDevice_t* devices) {
  const Call call("nvmlSystemGetTopologyGpuSet");
  if (!call.ok()) {
    return AnswerOf(call);
  }
  const unsigned room = *count;
  *count = static_cast<unsigned>(call.machine().cards.size());
  for (unsigned i = 0; devices != nullptr && i < room && i < *count; ++i) {
    devices[i] = reinterpret_cast<nvmlDevice_t>(aliquot::simgpu::HandleOf(i));
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(nvmlDevice_t device,
                                                   nvmlProcessDetailList_t* list) {
  const Call call("nvmlDeviceGetRunningProcessDetailList", Plain(device));
  if (!call.ok()) {
    return AnswerOf(call);
  }
  if (list->version != nvmlProcessDetailList_v1) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  const std::vector<aliquot::simgpu::Process>& all = call.card().processes;
  const unsigned room = list->numProcArrayEntries;
  list->numProcArrayEntries = list->mode == 0 ? static_cast<unsigned>(all.size()) : 0;
  if (room < list->numProcArrayEntries) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  for (unsigned i = 0; i < list->numProcArrayEntries; ++i) {
    list->procArray[i] = {all[i].pid, BytesOf(all[i]), ~0U, ~0U, 0};
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAccountingBufferSize(nvmlDevice_t device, unsigned* size) {
  const Call call("nvmlDeviceGetAccountingBufferSize", Plain(device));
  if (call.ok()) {
    *size = 4000;
  }
  return AnswerOf(call);
}

nvmlReturn_t nvmlDeviceGetAccountingPids(nvmlDevice_t device, unsigned* count, unsigned* pids) {
  const Call call("nvmlDeviceGetAccountingPids", Plain(device));
  if (!call.ok()) {
    return AnswerOf(call);
  }
  const std::vector<aliquot::simgpu::Process>& all = call.card().processes;
  const unsigned room = *count;
  *count = static_cast<unsigned>(all.size());
  if (room < all.size()) {
    return NVML_ERROR_INSUFFICIENT_SIZE;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    pids[i] = all[i].pid;
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAccountingStats(nvmlDevice_t device, unsigned pid,
                                          nvmlAccountingStats_t* stats) {
  const Call call("nvmlDeviceGetAccountingStats", Plain(device));
  if (!call.ok()) {
    return AnswerOf(call);
  }
  const aliquot::simgpu::Process* const process = ProcessOf(call, pid);
  if (process == nullptr) {
    return NVML_ERROR_NOT_FOUND;
  }
  *stats = {};
  stats->maxMemoryUsage = BytesOf(*process);
  stats->isRunning = 1;
  return NVML_SUCCESS;
}
