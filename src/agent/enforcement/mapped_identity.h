// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "agent/enforcement/process_look.h"

namespace aliquot::agent {

// Device and inode of a file as the kernel shows them in /proc/<pid>/maps. Not always what stat(2)
// says: btrfs and overlayfs have a number of their own for stat, and a process would then be
// accused of what it did not do. So the file is mapped here for a moment, and our own maps are
// read. Nothing: it is no regular file, or can't be mapped. Thread-safe.
std::optional<FileIdentity> IdentityInMaps(const std::string& path);

}  // namespace aliquot::agent
