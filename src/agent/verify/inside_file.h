// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "agent/enforcement/process_look.h"

// Looking into a process's file system through /proc/<pid>/root. All that lies there is a
// stranger's: a path is resolved as the process would resolve it and never leaves its root
// (openat2, RESOLVE_IN_ROOT); nothing but a regular file is ever opened for reading; reads are
// bounded. What cannot be bounded is a file system that the container runs itself (FUSE) and that
// does not answer: so callers look for one at a time. Thread-safe.

namespace aliquot::agent {

struct InsideFile {
  enum class State {
    kRead,
    kMissing,     // nothing is there
    kOdd,         // a link that leads nowhere, a FIFO, a device, a directory, or too large
    kUnreadable,  // it could not be looked at
  };

  State state = State::kUnreadable;
  FileIdentity identity;  // of kRead
  std::string bytes;      // of kRead
  std::string why;        // else: part of a sentence
};

// `path` is absolute, as the process names it. `proc` is where the host's /proc is seen.
InsideFile ReadInside(const std::string& proc, pid_t pid, const std::string& path,
                      std::size_t most_bytes);

// The numbers of the character devices that the process finds directly in its /dev; nothing when it
// can't be looked at. Reads at most 4,096 names.
std::optional<std::set<dev_t>> DevicesInside(const std::string& proc, pid_t pid);

}  // namespace aliquot::agent
