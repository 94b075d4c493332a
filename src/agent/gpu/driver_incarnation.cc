// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/driver_incarnation.h"

#include <sys/stat.h>

#include <fstream>

namespace aliquot::agent {

std::string DriverIncarnation(const std::string& root) {
  std::string boot;
  std::ifstream(root + "/proc/sys/kernel/random/boot_id") >> boot;
  struct stat module {};
  const bool loaded = stat((root + "/sys/module/nvidia").c_str(), &module) == 0;
  return boot + "/" + (loaded ? std::to_string(module.st_ino) : "");
}

}  // namespace aliquot::agent
