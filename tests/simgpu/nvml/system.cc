// SPDX-License-Identifier: Apache-2.0
// Initialization and what concerns the machine as a whole.
#include "tests/simgpu/nvml/exports.h"
#include "tests/simgpu/nvml/world.h"

namespace aliquot::simgpu {

Return nvmlInit_v2() { return World::Get().Init(); }

Return nvmlShutdown() { return World::Get().Shutdown(); }

const char* nvmlErrorString(Return code) {
  switch (code) {
    case Return::kSuccess:
      return "The operation was successful";
    case Return::kGpuIsLost:
      return "GPU is lost";
    default:
      return "simulated error";
  }
}

Return nvmlSystemGetDriverVersion(char* version, unsigned length) {
  const Call call("nvmlSystemGetDriverVersion");
  return call.ok() ? CopyText(call.machine().driver, version, length) : call.answer();
}

Return nvmlDeviceGetCount_v2(unsigned* count) {
  const Call call("nvmlDeviceGetCount_v2");
  if (call.ok()) {
    *count = static_cast<unsigned>(call.machine().cards.size());
  }
  return call.answer();
}

Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  // A card is refused here already when the driver has lost it.
  const Call call("nvmlDeviceGetHandleByIndex_v2", index < 64 ? HandleOf(index) : nullptr);
  if (call.ok()) {
    *device = HandleOf(index);
  }
  return call.answer();
}

}  // namespace aliquot::simgpu
