// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"

namespace aliquot::agent {

// What lies at a path, a link not followed.
struct FileLook {
  enum class Kind { kDirectory, kRegular, kLink, kOther };
  Kind kind = Kind::kOther;
  std::int64_t size = 0;
  std::uint64_t links = 1;
  std::int64_t modified_ns = 0;
};

// The few file operations that a grant is made of. Each returns 0 or the errno of what failed, and
// then has left nothing behind. Modes are exact, whatever the umask. No call follows a link at its
// last name, unless it says so. Thread-safe; virtual so that a test can fail one of them.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // EEXIST when anything is there.
  virtual int MakeDirectory(const std::string& path, mode_t mode) const;
  // With those above it; no error when it is there already.
  virtual int MakeDirectories(const std::string& path, mode_t mode) const;
  // A character device with exactly this number, mode and owner. Needs CAP_MKNOD.
  virtual int MakeNode(const std::string& path, const DeviceNode& node) const;
  // A new file; EEXIST when anything is there.
  virtual int WriteNew(const std::string& path, std::string_view text, mode_t mode) const;
  virtual int Copy(const std::string& from, const std::string& to, mode_t mode) const;  // synced
  virtual int Link(const std::string& from, const std::string& to) const;
  virtual int MakeLink(const std::string& target, const std::string& path) const;  // symbolic
  // Replaces a file or an empty directory at `to`.
  virtual int Rename(const std::string& from, const std::string& to) const;
  // Both exist, and change places in one step.
  virtual int Exchange(const std::string& a, const std::string& b) const;
  virtual int RemoveFile(const std::string& path) const;
  // Whatever it is, with all that is in it; no error when nothing is there.
  virtual int RemoveTree(const std::string& path) const;

  int Look(const std::string& path, FileLook& look) const;
  // The names in a directory, in any order.
  int List(const std::string& path, std::vector<std::string>& names) const;
  // A regular file of at most `most` bytes, else EFBIG; what is neither is EINVAL. Never waits.
  int Read(const std::string& path, std::size_t most, std::string& text) const;
  // The first `most` bytes of a regular file, fewer where it is shorter.
  int ReadHead(const std::string& path, std::size_t most, std::string& text) const;
  // Sets mode and owner (root's) of a regular file; EINVAL for anything else.
  int Restore(const std::string& path, mode_t mode) const;
  // Takes from a regular file what it has past `size` bytes, room set aside beyond its end too.
  // `grown`: it had something there, whether it could be taken or not. Never waits.
  int Cut(const std::string& path, std::size_t size, bool& grown) const;
};

}  // namespace aliquot::agent
