// SPDX-License-Identifier: Apache-2.0
#include "interposer/driver_names.h"

#include "interposer/text.h"

namespace aliquot::interposer {
namespace {

bool IsVersionOf(const char* base, const char* library) {
  const char* const rest = base + Length(library);
  return StartsWith(base, library) && (*rest == '\0' || *rest == '.');
}

}  // namespace

bool IsCudaFile(const char* base) { return IsVersionOf(base, "libcuda.so"); }

bool IsDriverFile(const char* base) {
  return IsCudaFile(base) || IsVersionOf(base, "libnvidia-ml.so");
}

bool IsStubFolder(const char* folder) {
  for (; *folder != '\0'; ++folder) {
    if (StartsWith(folder, "/stubs") && (folder[6] == '\0' || folder[6] == '/')) {
      return true;
    }
  }
  return false;
}

bool IsDefaultFolder(const char* folder) {
  return Equal(folder, "/lib/x86_64-linux-gnu") || Equal(folder, "/usr/lib/x86_64-linux-gnu") ||
         Equal(folder, "/lib64") || Equal(folder, "/usr/lib64") || Equal(folder, "/lib") ||
         Equal(folder, "/usr/lib");
}

// A switch, not an array: an array of pointers would have to be relocated in every process.
const char* DriverFolder(int index) {
  switch (index) {
    case 0:
      return "/usr/local/nvidia/lib64";
    case 1:
      return "/usr/lib64";
    case 2:
      return "/usr/lib/x86_64-linux-gnu";
    case 3:
      return "/usr/lib/wsl/lib";
    case 4:
      return "/usr/local/nvidia/lib";
    case 5:
      return "/run/nvidia/driver/usr/lib64";
    case 6:
      return "/run/nvidia/driver/usr/lib/x86_64-linux-gnu";
    case 7:
      return "/home/kubernetes/bin/nvidia/lib64";
    default:
      return nullptr;
  }
}

}  // namespace aliquot::interposer
