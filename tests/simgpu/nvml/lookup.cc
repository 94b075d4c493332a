// SPDX-License-Identifier: Apache-2.0
// Cards by their names, and functions under the names that they had before: what programs of others
// call and the agent does not.
#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {
namespace {

// PCI addresses are written with four or eight digits of the domain, in either case.
bool SamePlace(const std::string& a, const char* b) {
  unsigned place[2][4] = {};
  const char* const texts[] = {a.c_str(), b};
  for (int i = 0; i < 2; ++i) {
    if (std::sscanf(texts[i], "%x:%x:%x.%x", &place[i][0], &place[i][1], &place[i][2],
                    &place[i][3]) < 3) {
      return false;
    }
  }
  return std::equal(place[0], place[0] + 4, place[1]);
}

template <typename Fits>
Return Find(const char* function, const void* name, Device* device, const Fits& fits) {
  const Call call(function);
  if (!call.ok()) {
    return call.answer();
  }
  if (name == nullptr || device == nullptr) {
    return Return::kInvalidArgument;
  }
  for (std::size_t i = 0; i < call.machine().cards.size(); ++i) {
    if (fits(call.machine().cards[i])) {
      *device = HandleOf(i);
      return call.Reaches(i) ? Return::kSuccess : Return::kGpuIsLost;
    }
  }
  return Return::kNotFound;
}

}  // namespace

SIMGPU_EXPORT Return nvmlInit();
SIMGPU_EXPORT Return nvmlInitWithFlags(unsigned flags);
SIMGPU_EXPORT Return nvmlDeviceGetCount(unsigned* count);
SIMGPU_EXPORT Return nvmlDeviceGetHandleByIndex(unsigned index, Device* device);
SIMGPU_EXPORT Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device);
SIMGPU_EXPORT Return nvmlDeviceGetHandleByPciBusId(const char* address, Device* device);
SIMGPU_EXPORT Return nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* device);
SIMGPU_EXPORT Return nvmlDeviceGetIndex(Device device, unsigned* index);
SIMGPU_EXPORT Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count,
                                                             ProcessInfo* infos);
SIMGPU_EXPORT Return nvmlSystemGetCudaDriverVersion(int* version);
SIMGPU_EXPORT Return nvmlSystemGetCudaDriverVersion_v2(int* version);
SIMGPU_EXPORT Return nvmlSystemGetNVMLVersion(char* version, unsigned length);
SIMGPU_EXPORT Return nvmlDeviceGetTopologyNearestGpus(Device device, unsigned level,
                                                      unsigned* count, Device* devices);

Return nvmlInit() { return nvmlInit_v2(); }
Return nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
Return nvmlDeviceGetCount(unsigned* count) { return nvmlDeviceGetCount_v2(count); }
Return nvmlDeviceGetHandleByIndex(unsigned index, Device* device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}

Return nvmlDeviceGetHandleByUUID(const char* uuid, Device* device) {
  return Find("nvmlDeviceGetHandleByUUID", uuid, device,
              [uuid](const Card& card) { return strcasecmp(card.uuid.c_str(), uuid) == 0; });
}

Return nvmlDeviceGetHandleByPciBusId_v2(const char* address, Device* device) {
  return Find("nvmlDeviceGetHandleByPciBusId_v2", address, device,
              [address](const Card& card) { return SamePlace(card.pci, address); });
}

Return nvmlDeviceGetHandleByPciBusId(const char* address, Device* device) {
  return nvmlDeviceGetHandleByPciBusId_v2(address, device);
}

Return nvmlDeviceGetIndex(Device device, unsigned* index) {
  const Call call("nvmlDeviceGetIndex", device);
  if (call.ok()) {
    *index = static_cast<unsigned>(call.index());
  }
  return call.answer();
}

Return nvmlDeviceGetComputeRunningProcesses_v2(Device device, unsigned* count, ProcessInfo* infos) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, count, infos);
}

Return nvmlSystemGetCudaDriverVersion(int* version) {
  const Call call("nvmlSystemGetCudaDriverVersion");
  if (call.ok()) {
    *version = call.machine().cuda_version;
  }
  return call.answer();
}

Return nvmlSystemGetCudaDriverVersion_v2(int* version) {
  return nvmlSystemGetCudaDriverVersion(version);
}

Return nvmlSystemGetNVMLVersion(char* version, unsigned length) {
  const Call call("nvmlSystemGetNVMLVersion");
  return call.ok() ? CopyText("12." + call.machine().driver, version, length) : call.answer();
}

// All other cards are one level away.
Return nvmlDeviceGetTopologyNearestGpus(Device device, unsigned, unsigned* count, Device* devices) {
  const Call call("nvmlDeviceGetTopologyNearestGpus", device);
  if (!call.ok()) {
    return call.answer();
  }
  const unsigned room = *count;
  *count = 0;
  for (std::size_t i = 0; i < call.machine().cards.size(); ++i) {
    if (i != call.index()) {
      if (devices != nullptr && *count < room) {
        devices[*count] = HandleOf(i);
      }
      ++*count;
    }
  }
  return Return::kSuccess;
}

}  // namespace aliquot::simgpu
