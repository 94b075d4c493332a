// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace aliquot::agent {

// Notices that something was created, removed or renamed in one directory (inotify). It says that,
// not what: who watches looks again at what is there, so that events that came twice or were lost
// (IN_Q_OVERFLOW) do no harm. Not thread-safe.
class DirectoryWatch {
 public:
  static Result<DirectoryWatch> Open(const std::string& directory);
  ~DirectoryWatch();
  DirectoryWatch(DirectoryWatch&& other) noexcept;
  DirectoryWatch& operator=(DirectoryWatch&& other) noexcept;

  // Readable while events wait.
  int descriptor() const { return descriptor_; }
  // Reads and forgets all events that wait.
  void Drain();
  // Is what lies at the path now still the directory that is watched?
  bool Current() const;

 private:
  DirectoryWatch(std::string directory, int descriptor);

  std::string directory_;
  int descriptor_ = -1;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  bool gone_ = false;
};

}  // namespace aliquot::agent
