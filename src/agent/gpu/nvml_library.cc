// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <utility>

#include "agent/gpu/nvml_error.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

constexpr char kSoname[] = "libnvidia-ml.so.1";

enum class Need { kNeeded, kOptional };

// A function by its name, else by its older one. False: neither is there.
template <typename Function>
bool Resolve(void* handle, const char* symbol, const char* older, Function& function) {
  void* found = dlsym(handle, symbol);
  if (found == nullptr) {
    found = dlsym(handle, older);
  }
  function = reinterpret_cast<Function>(found);
  return found != nullptr;
}

// The names of needed functions that the library lacks.
std::vector<std::string> ResolveAll(void* handle, nvml::Functions& functions) {
  std::vector<std::string> missing;
#define ALIQUOT_NVML_RESOLVE(need, member, symbol, older, result, arguments)                \
  if (!Resolve(handle, #symbol, #older, functions.member) && Need::need == Need::kNeeded) { \
    missing.emplace_back(#symbol);                                                          \
  }
  ALIQUOT_NVML_FUNCTIONS(ALIQUOT_NVML_RESOLVE)
#undef ALIQUOT_NVML_RESOLVE
  return missing;
}

std::string LoaderError() {
  const char* text = dlerror();
  return text == nullptr ? "no reason given" : Printable(text, 300);
}

}  // namespace

Result<std::shared_ptr<const NvmlLibrary>> NvmlLibrary::Load(
    const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const bool searched = path.find('/') == std::string::npos;
    if (!searched && access(path.c_str(), F_OK) != 0) {
      continue;
    }
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const std::string reason = LoaderError();
      if (searched && reason.find("cannot open shared object file") != std::string::npos) {
        continue;
      }
      return Unavailable("the driver's " + path + " cannot be loaded: " + reason +
                         "; install the NVIDIA driver's libraries anew");
    }
    nvml::Functions functions;
    const std::vector<std::string> missing = ResolveAll(handle, functions);
    if (!missing.empty()) {
      dlclose(handle);
      return Unavailable("the driver's " + path + " is too old, it lacks " + Join(missing, ", ") +
                         "; install an NVIDIA driver of branch 450 or newer");
    }
    return std::shared_ptr<const NvmlLibrary>(new NvmlLibrary(handle, functions));
  }
  return Unavailable("no NVIDIA driver: " + std::string(kSoname) + " is not found (" +
                     Join(paths, ", ") +
                     "); install the driver, or name its root in gpu.driverRoot");
}

NvmlLibrary::~NvmlLibrary() { dlclose(handle_); }

bool NvmlLibrary::memory_limits() const {
  return dlsym(handle_, "nvmlDeviceSetMemoryLimits_v1") != nullptr;
}

Status NvmlLibrary::Error(nvml::Return code, std::string_view function) const {
  const char* text = functions_.error_string == nullptr ? nullptr : functions_.error_string(code);
  return NvmlError(code, function, text == nullptr ? "" : text);
}

std::vector<std::string> NvmlPaths(const std::string& driver_root) {
  if (driver_root.empty() || driver_root == "/") {
    return {kSoname};
  }
  // Debian's and Red Hat's folders, 64-bit of both architectures, then where some distributions and
  // node images keep a driver of their own.
  static constexpr const char* kFolders[] = {"/usr/lib/x86_64-linux-gnu",
                                             "/usr/lib/aarch64-linux-gnu",
                                             "/usr/lib64",
                                             "/usr/lib",
                                             "/usr/lib/wsl/lib",
                                             "/lib/x86_64-linux-gnu",
                                             "/lib/aarch64-linux-gnu",
                                             "/lib64",
                                             "/lib",
                                             "/usr/local/nvidia/lib64",
                                             "/home/kubernetes/bin/nvidia/lib64"};
  std::string root = driver_root;
  while (root.size() > 1 && root.back() == '/') {
    root.pop_back();
  }
  std::vector<std::string> paths;
  for (const char* folder : kFolders) {
    paths.push_back(root + folder + "/" + kSoname);
  }
  return paths;
}

}  // namespace aliquot::agent
