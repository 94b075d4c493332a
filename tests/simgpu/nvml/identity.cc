// SPDX-License-Identifier: Apache-2.0
// What a card is.
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {
namespace {

constexpr unsigned long long kMib = 1ULL << 20;
// A driver keeps a little of the memory for itself.
constexpr unsigned long long kReservedPart = 128;
constexpr int kCpusPerNode = 64;

unsigned long long Reserved(const Card& card) {
  return static_cast<unsigned long long>(card.mib) * kMib / kReservedPart;
}

}  // namespace

Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned length) {
  const Call call("nvmlDeviceGetUUID", device);
  return call.ok() ? CopyText(call.card().uuid, uuid, length) : call.answer();
}

Return nvmlDeviceGetMinorNumber(Device device, unsigned* minor) {
  const Call call("nvmlDeviceGetMinorNumber", device);
  if (call.ok()) {
    *minor = static_cast<unsigned>(call.card().minor);
  }
  return call.answer();
}

Return nvmlDeviceGetName(Device device, char* name, unsigned length) {
  const Call call("nvmlDeviceGetName", device);
  return call.ok() ? CopyText(call.card().model, name, length) : call.answer();
}

Return nvmlDeviceGetMemoryInfo(Device device, Memory* memory) {
  std::optional<Call> asked(std::in_place, "nvmlDeviceGetMemoryInfo", device);
  const Call& call = *asked;
  if (call.ok() && call.in_world()) {
    // As NVIDIA's does, through the exported function: whoever stands before NVML is called twice.
    asked.reset();
    MemoryV2 newer = {nvml::kMemoryV2Version, 0, 0, 0, 0};
    const Return answer = nvmlDeviceGetMemoryInfo_v2(device, &newer);
    *memory = {newer.total, newer.free, newer.used + newer.reserved};
    return answer;
  }
  if (call.ok()) {
    memory->total = static_cast<unsigned long long>(call.card().mib) * kMib;
    memory->used =
        static_cast<unsigned long long>(call.card().mib_used) * kMib + Reserved(call.card());
    memory->free = memory->total > memory->used ? memory->total - memory->used : 0;
  }
  return call.answer();
}

Return nvmlDeviceGetMemoryInfo_v2(Device device, MemoryV2* memory) {
  const Call call("nvmlDeviceGetMemoryInfo_v2", device);
  if (!call.ok()) {
    return call.answer();
  }
  if (memory->version != nvml::kMemoryV2Version) {
    return static_cast<Return>(25);  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  }
  memory->total = static_cast<unsigned long long>(call.card().mib) * kMib;
  memory->used = static_cast<unsigned long long>(call.card().mib_used) * kMib;
  memory->reserved = Reserved(call.card());
  const unsigned long long taken = memory->used + memory->reserved;
  memory->free = memory->total > taken ? memory->total - taken : 0;
  return Return::kSuccess;
}

Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  const Call call("nvmlDeviceGetPciInfo_v3", device);
  if (!call.ok()) {
    return call.answer();
  }
  *pci = {};
  unsigned function = 0;
  if (std::sscanf(call.card().pci.c_str(), "%x:%x:%x.%x", &pci->domain, &pci->bus, &pci->device,
                  &function) != 4) {
    return Return::kUnknown;
  }
  std::snprintf(pci->bus_id, sizeof(pci->bus_id), "%08X:%02X:%02X.%X", pci->domain, pci->bus,
                pci->device, function);
  std::snprintf(pci->bus_id_legacy, sizeof(pci->bus_id_legacy), "%04X:%02X:%02X.%X",
                pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0xff, function & 0xf);
  return Return::kSuccess;
}

// NUMA node n has the CPUs 64n to 64n+63.
Return nvmlDeviceGetCpuAffinity(Device device, unsigned words, unsigned long* mask) {
  const Call call("nvmlDeviceGetCpuAffinity", device);
  if (!call.ok()) {
    return call.answer();
  }
  const unsigned at = static_cast<unsigned>(call.card().numa);
  static_assert(8 * sizeof(unsigned long) == kCpusPerNode);
  if (call.card().numa < 0 || at >= words) {
    return Return::kNotSupported;
  }
  std::memset(mask, 0, words * sizeof(unsigned long));
  mask[at] = ~0UL;
  return Return::kSuccess;
}

Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  const Call call("nvmlDeviceGetCudaComputeCapability", device);
  if (call.ok()) {
    *major = call.card().cc_major;
    *minor = call.card().cc_minor;
  }
  return call.answer();
}

Return nvmlDeviceGetMigMode(Device device, unsigned* current, unsigned* pending) {
  const Call call("nvmlDeviceGetMigMode", device);
  if (!call.ok()) {
    return call.answer();
  }
  if (call.card().cc_major < 8) {
    return Return::kNotSupported;
  }
  *current = call.card().mig ? 1 : 0;
  *pending = *current;
  return Return::kSuccess;
}

}  // namespace aliquot::simgpu
