// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/allocate_answer.h"

#include "agent/grant/grant_name.h"
#include "agent/grant/state_layout.h"

namespace aliquot::agent {

std::vector<ContainerEdits::Mount> GrantMounts(const std::string& name,
                                               const EditOptions& options) {
  const StateLayout layout(options.state_directory);
  const std::string grant = layout.Grant(name);
  std::vector<ContainerEdits::Mount> mounts;
  mounts.push_back({std::string(kLimitsInContainer), grant + "/limits", true});
  mounts.push_back({std::string(kUsageInContainer), layout.UsageRegion(name), false});
  if (options.driver == DriverDelivery::Way::kMirror) {
    mounts.push_back({std::string(kDriverInContainer), grant + "/driver", true});
  }
  if (options.library) {
    mounts.push_back({std::string(kLibraryInContainer), grant + "/library", true});
    mounts.push_back({std::string(kPreloadInContainer), grant + "/preload/ld.so.preload", true});
  }
  return mounts;
}

ContainerEdits ContainerEditsFor(const std::vector<std::string>& device_ids,
                                 const EditOptions& options) {
  const std::string name = GrantName(device_ids);
  ContainerEdits edits;
  // Keeps NVIDIA's own runtime, where a node has it, from giving what an image asks for.
  edits.environment["NVIDIA_VISIBLE_DEVICES"] = "void";
  // CUDA then numbers cards as NVML does, by PCI address. What the pod itself sets comes after it.
  edits.environment["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  if (options.mode == GrantMode::kCdi) {
    edits.cdi_devices.push_back(std::string(kCdiKind) + "=" + name);
    return edits;
  }
  edits.devices.push_back({"/dev", StateLayout(options.state_directory).Devices(name), "rw"});
  edits.mounts = GrantMounts(name, options);
  return edits;
}

}  // namespace aliquot::agent
