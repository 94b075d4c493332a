// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/directory_watch.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace aliquot::agent {
namespace {

constexpr std::uint32_t kEvents = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM |
                                  IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

DirectoryWatch::DirectoryWatch(std::string directory, int descriptor)
    : directory_(std::move(directory)), descriptor_(descriptor) {}

DirectoryWatch::DirectoryWatch(DirectoryWatch&& other) noexcept
    : directory_(std::move(other.directory_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      device_(other.device_),
      inode_(other.inode_),
      gone_(other.gone_) {}

DirectoryWatch& DirectoryWatch::operator=(DirectoryWatch&& other) noexcept {
  std::swap(directory_, other.directory_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  std::swap(gone_, other.gone_);
  return *this;
}

DirectoryWatch::~DirectoryWatch() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<DirectoryWatch> DirectoryWatch::Open(const std::string& directory) {
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor < 0) {
    return Unavailable("no watch of " + directory + ": inotify says \"" + std::strerror(errno) +
                       "\"; raise fs.inotify.max_user_instances");
  }
  DirectoryWatch watch(directory, descriptor);
  if (::inotify_add_watch(descriptor, directory.c_str(), kEvents) < 0) {
    return Unavailable("no watch of " + directory + ": inotify says \"" + std::strerror(errno) +
                       "\"; the directory must exist, and fs.inotify.max_user_watches be enough");
  }
  struct stat found {};
  if (::stat(directory.c_str(), &found) != 0) {
    return Unavailable("no watch of " + directory + ": " + std::strerror(errno));
  }
  watch.device_ = found.st_dev;
  watch.inode_ = found.st_ino;
  return watch;
}

void DirectoryWatch::Drain() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  while (true) {
    const ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
    if (size <= 0) return;
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      // The directory itself went: a new one of the same name may have its inode again.
      if ((event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0) {
        gone_ = true;
      }
      at += static_cast<ssize_t>(sizeof(inotify_event)) + event->len;
    }
  }
}

bool DirectoryWatch::Current() const {
  struct stat found {};
  return !gone_ && ::stat(directory_.c_str(), &found) == 0 && found.st_dev == device_ &&
         found.st_ino == inode_;
}

}  // namespace aliquot::agent
