// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "agent/identity/checkpoint.h"
#include "base/mutex.h"
#include "base/status.h"

namespace aliquot::agent {

inline constexpr char kKubeletCheckpointPath[] =
    "/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint";

// Where checkpoints come from. Thread-safe.
class CheckpointSource {
 public:
  virtual ~CheckpointSource() = default;

  // As the kubelet wrote it last. The error is one sentence that names the file.
  virtual Result<std::shared_ptr<const Checkpoint>> Read() = 0;
};

// Reads the file, and parses it again only when it is another: the kubelet replaces it by a rename,
// so that thirty containers that start together cost one parse. What does not parse is not
// remembered.
class CheckpointReader final : public CheckpointSource {
 public:
  CheckpointReader(std::string path, std::string resource);

  Result<std::shared_ptr<const Checkpoint>> Read() override EXCLUDES(mutex_);

  // How often a file was parsed, for tests and metrics.
  std::uint64_t parses() const EXCLUDES(mutex_);

 private:
  // What tells one file from another.
  struct Stamp {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = -1;
    std::int64_t changed_ns = 0;

    friend bool operator==(const Stamp& a, const Stamp& b) {
      return a.device == b.device && a.inode == b.inode && a.size == b.size &&
             a.changed_ns == b.changed_ns;
    }
  };

  Result<std::shared_ptr<const Checkpoint>> ReadOpen(int file) REQUIRES(mutex_);
  Status Problem(const std::string& what) const;

  const std::string path_;
  const std::string resource_;
  // Held while the file is read and parsed, so that those who ask meanwhile share the result.
  mutable Mutex mutex_;
  Stamp stamp_ GUARDED_BY(mutex_);
  std::shared_ptr<const Checkpoint> last_ GUARDED_BY(mutex_);
  std::uint64_t parses_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::agent
