// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent/gpu/backend.h"
#include "agent/gpu/nvml_device_nodes.h"

namespace aliquot::agent {

struct NvmlOptions {
  // Below which the driver's libraries lie: "/" = where the system's loader finds them,
  // "/run/nvidia/driver" with GPU Operator.
  std::string driver_root = "/";
  std::string library;  // not empty: exactly this file instead
  std::string device_root = "/dev";
  std::string sysfs_root = "/sys";
  DeviceStatFunction stat_device = StatDevice;
  // How long a call may take before the driver counts as hanging. A first look initializes every
  // card, which takes seconds each where no persistence daemon keeps them up.
  std::chrono::milliseconds look_limit = std::chrono::seconds(120);
  std::chrono::milliseconds call_limit = std::chrono::seconds(20);
};

// The node's GPUs through NVIDIA's NVML, loaded at run time.
//
// Look takes the driver and keeps it until Release or until the driver is gone; everything else
// needs a look before: CheckCards and Figures are UNAVAILABLE without, WaitForEvents sleeps. A card
// that fails costs only itself: it is left out of the look with a note, CheckCards tells it as not
// present when it was seen before, and each further look initializes NVML anew to see it come back.
// A card whose node, or nvidiactl or nvidia-uvm, the host lacks has the mode "no-node". Links are
// read again at every tenth look, or when the cards are others.
//
// A call that hangs ends as DEADLINE_EXCEEDED after its limit (nvml_lane.h); Release waits no
// longer either, and NVML is then shut down when the call comes back. Three threads, all asleep
// between calls; no polling but the wait for events, which wakes once a second.
std::unique_ptr<GpuBackend> MakeNvmlBackend(NvmlOptions options);

}  // namespace aliquot::agent
