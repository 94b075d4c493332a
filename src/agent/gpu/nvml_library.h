// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/nvml_abi.h"
#include "base/status.h"

namespace aliquot::agent {

// libnvidia-ml.so.1, loaded at run time: the agent starts on nodes without a driver too. Unloaded
// by the destructor. Immutable, so thread-safe; nothing of NVML is called here.
class NvmlLibrary {
 public:
  // Loads the first of `paths` that exists; a path without a slash is looked up by the system's
  // loader. UNAVAILABLE: none is there, or it cannot be loaded, or it lacks what the agent needs.
  static Result<std::shared_ptr<const NvmlLibrary>> Load(const std::vector<std::string>& paths);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const nvml::Functions& functions() const { return functions_; }
  // Whether it has nvmlDeviceSetMemoryLimits_v1 (R615 and later), which NVIDIA's toolkit calls.
  bool memory_limits() const;
  // As NvmlError, with the library's own text for codes unknown here.
  Status Error(nvml::Return code, std::string_view function) const;

 private:
  NvmlLibrary(void* handle, const nvml::Functions& functions)
      : handle_(handle), functions_(functions) {}

  void* const handle_;
  const nvml::Functions functions_;
};

// Where the library may lie below a driver's root: "/" for a driver that the system's loader knows,
// /run/nvidia/driver with GPU Operator, or where a container has the host's root.
std::vector<std::string> NvmlPaths(const std::string& driver_root);

}  // namespace aliquot::agent
