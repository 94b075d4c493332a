// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/checkpoint_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

std::int64_t Nanoseconds(const struct timespec& time) {
  return std::int64_t{time.tv_sec} * 1000000000 + time.tv_nsec;
}

class File {
 public:
  // Without waiting: what lies there may be a FIFO.
  explicit File(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};

// Up to `size` bytes; fewer when the file has become shorter. False with errno set.
bool ReadUpTo(int file, std::size_t size, std::string& text) {
  text.resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = read(file, &text[done], size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return true;
}

}  // namespace

CheckpointReader::CheckpointReader(std::string path, std::string resource)
    : path_(std::move(path)), resource_(std::move(resource)) {}

Status CheckpointReader::Problem(const std::string& what) const {
  return Unavailable("the kubelet's checkpoint " + path_ + " " + what);
}

Result<std::shared_ptr<const Checkpoint>> CheckpointReader::Read() {
  MutexLock lock(mutex_);
  const File file(path_);
  if (file.descriptor() < 0) {
    return Problem("cannot be opened: " + std::string(std::strerror(errno)) +
                   "; mount the kubelet's device-plugins directory into the agent");
  }
  return ReadOpen(file.descriptor());
}

Result<std::shared_ptr<const Checkpoint>> CheckpointReader::ReadOpen(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0)
    return Problem("cannot be read: " + std::string(std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return Problem("is no regular file; expected the kubelet's own");
  const Stamp stamp{status.st_dev, status.st_ino, status.st_size, Nanoseconds(status.st_ctim)};
  if (last_ != nullptr && stamp == stamp_) return last_;
  if (status.st_size > static_cast<off_t>(kMaxCheckpointBytes)) {
    return Problem("is larger than " + std::to_string(kMaxCheckpointBytes >> 20) +
                   " MiB; no kubelet writes one of that size");
  }
  std::string text;
  if (!ReadUpTo(file, static_cast<std::size_t>(status.st_size), text)) {
    return Problem("cannot be read: " + std::string(std::strerror(errno)));
  }
  ++parses_;
  Result<Checkpoint> parsed = ParseCheckpoint(text, resource_);
  if (!parsed.ok()) return Problem(parsed.status().message());
  stamp_ = stamp;
  last_ = std::make_shared<const Checkpoint>(*std::move(parsed));
  return last_;
}

std::uint64_t CheckpointReader::parses() const {
  MutexLock lock(mutex_);
  return parses_;
}

}  // namespace aliquot::agent
