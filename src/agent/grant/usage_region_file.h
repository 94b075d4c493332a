// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/grant/file_system.h"
#include "agent/grant/identity.h"
#include "agent/grant/state_layout.h"
#include "base/status.h"

namespace aliquot::agent {

// Makes the usage file that a grant mounts (src/quota/FORMAT.md), one file of fixed size that every
// user of the container may write. Its directory is root's alone, so nobody else on the node
// reaches it; the container can neither rename nor replace it, as it has the file and not the
// directory.
//
// Another start of the same container keeps the file, so that its counters go on; anybody else gets
// a fresh one, and so does a file that the container has damaged (truncated, no header) or that is
// no file (what a runtime or a tenant put there). Calls for one name must not overlap. Errors: one
// sentence, the reason of the system in it.
Status PrepareUsageRegion(const FileSystem& files, const StateLayout& layout,
                          const std::string& name, const ContainerIdentity& owner);

}  // namespace aliquot::agent
