// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/gpu/machine_profile.h"
#include "agent/gpu/machine_state.h"
#include "base/status.h"

namespace aliquot::agent {

// The state file of a simulated machine, parsed again only when the file is another one than at the
// last read (inode, size, times). Not thread-safe.
class StateFile {
 public:
  // `path` "": none.
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  // The intact machine where there is no file. The error is one sentence of what is wrong in it.
  Result<MachineState> Read(const MachineProfile& profile);

 private:
  Result<MachineState> Parse(const MachineProfile& profile) const;

  const std::string path_;
  struct stat seen_ {};  // of the read that `last_` comes from
  std::optional<Result<MachineState>> last_;
};

// Waits for changes in one file's directory (inotify). Thread-safe; one thread waits.
class FileWatch {
 public:
  // `path` "", or in a directory that does not exist: waits are sleeps.
  explicit FileWatch(const std::string& path);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  // Returns when something was written or moved there since the last call, or at the time-out.
  void Wait(std::chrono::milliseconds timeout);

 private:
  int descriptor_ = -1;
};

}  // namespace aliquot::agent
