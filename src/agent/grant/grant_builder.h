// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/grant/file_system.h"
#include "agent/grant/grant_plan.h"
#include "base/status.h"

namespace aliquot::agent {

// The file of the record within a grant's directory, root's alone.
inline constexpr char kGrantRecordFile[] = "grant.json";
// The file of the limits within a grant's directory of limits (src/quota/FORMAT.md).
inline constexpr char kLimitsFile[] = "record";

// Fills a new directory with all that one grant mounts: device nodes, limits, record, driver
// libraries, enforcement library, ld.so.preload. What is not configured is there too, but empty:
// the kubelet may keep an answer to Allocate from an earlier configuration, and a runtime makes a
// directory of a mount source that is missing.
//
// `shown` is the directory that sentences name. On an error `directory` may be half filled: the
// caller removes it. Thread-safe for different directories.
Status BuildGrant(const FileSystem& files, const GrantPlan& plan, const std::string& directory,
                  const std::string& shown);

}  // namespace aliquot::agent
