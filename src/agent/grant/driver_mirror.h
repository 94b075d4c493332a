// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/driver_delivery.h"
#include "agent/grant/file_system.h"
#include "base/status.h"

namespace aliquot::agent {

// The driver's user-space files below a driver root: "/" of the host as the agent sees it, or what
// a driver container shows (/run/nvidia/driver).
struct DriverFiles {
  struct File {
    std::string path;                // where it lies
    std::string name;                // "libcuda.so.535.104.05", "nvidia-smi"
    std::vector<std::string> links;  // names that stand for it: "libcuda.so.1", "libcuda.so"
  };

  std::string version;  // "535.104.05"
  std::vector<File> libraries;
  std::vector<File> programs;
};

// Looks for the libraries and programs of our own list (docs/reference/grant.md) in the usual
// directories of distributions below `root`. Only plain 64-bit ELF files of this machine's
// architecture count, by the version in their names, so that no link of another root is followed.
// `loaded` is the version of the kernel module, "" = not known: then there must be one version, or
// the highest is taken. Errors: one sentence with the remedy.
Result<DriverFiles> FindDriverFiles(const FileSystem& files, const std::string& root,
                                    const std::string& loaded);

// Makes <data directory>/driver/<version>/{lib64,bin} of them by hard links, where that is not
// possible by copies; whole or not at all. One that is there already and complete is kept as it is:
// running containers have it mounted. Returns the directory.
Result<std::string> MirrorDriverFiles(const FileSystem& files, const DriverFiles& found,
                                      const std::string& data_directory);

// Both steps, as GrantFacts wants them.
DriverDelivery MirrorDriver(const FileSystem& files, const std::string& root,
                            const std::string& loaded, const std::string& data_directory);

// Removes what lies in `directory` and is not one of `keep` (names). For old drivers and libraries
// that no grant names.
void RemoveAllBut(const FileSystem& files, const std::string& directory,
                  const std::set<std::string>& keep);

}  // namespace aliquot::agent
