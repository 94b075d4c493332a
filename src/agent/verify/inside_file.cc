// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/inside_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>

namespace aliquot::agent {
namespace {

constexpr int kMostNames = 4096;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd), error_(fd < 0 ? errno : 0) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  int error() const { return error_; }

 private:
  const int fd_;
  const int error_;
};

std::string Root(const std::string& proc, pid_t pid) {
  return proc + "/" + std::to_string(pid) + "/root";
}

// A place in that root, not opened: neither a FIFO nor a device notices.
int Locate(int root, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC | flags;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

// Opens what was located and judged, and nothing that took its place since.
int OpenLocated(int located, int flags) {
  const std::string self = "/proc/self/fd/" + std::to_string(located);
  return open(self.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
}

InsideFile Failed(const std::string& path, int error) {
  InsideFile file;
  const bool missing = error == ENOENT || error == ENOTDIR;
  const bool odd = error == ELOOP || error == EXDEV || error == ENAMETOOLONG;
  file.state = missing ? InsideFile::State::kMissing
               : odd   ? InsideFile::State::kOdd
                       : InsideFile::State::kUnreadable;
  file.why = missing ? path + " is not there"
                     : path + " can't be looked at: " + std::generic_category().message(error);
  return file;
}

InsideFile Odd(const std::string& path, const std::string& what) {
  InsideFile file;
  file.state = InsideFile::State::kOdd;
  file.why = path + " is " + what;
  return file;
}

// One byte more than `most` tells that there is more.
int ReadUpTo(int fd, std::size_t most, std::string& bytes) {
  bytes.resize(most + 1);
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = read(fd, bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return errno;
    }
    if (got == 0) {
      break;
    }
    at += static_cast<std::size_t>(got);
  }
  bytes.resize(at);
  return 0;
}

struct Closer {
  void operator()(DIR* directory) const { closedir(directory); }
};

}  // namespace

InsideFile ReadInside(const std::string& proc, pid_t pid, const std::string& path,
                      std::size_t most_bytes) {
  const Descriptor root(open(Root(proc, pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) {
    return Failed("the root of process " + std::to_string(pid), root.error());
  }
  const Descriptor place(Locate(root.get(), path, 0));
  if (place.get() < 0) {
    return Failed(path, place.error());
  }
  struct stat facts {};
  if (fstat(place.get(), &facts) != 0) {
    return Failed(path, errno);
  }
  if (!S_ISREG(facts.st_mode)) {
    return Odd(path, "no regular file");
  }
  const Descriptor open_file(OpenLocated(place.get(), 0));
  if (open_file.get() < 0) {
    return Failed(path, open_file.error());
  }
  InsideFile file;
  file.identity = {facts.st_dev, facts.st_ino};
  if (const int error = ReadUpTo(open_file.get(), most_bytes, file.bytes)) {
    return Failed(path, error);
  }
  if (file.bytes.size() > most_bytes) {
    return Odd(path, "longer than " + std::to_string(most_bytes) + " bytes");
  }
  file.state = InsideFile::State::kRead;
  return file;
}

std::optional<std::set<dev_t>> DevicesInside(const std::string& proc, pid_t pid) {
  const Descriptor root(open(Root(proc, pid).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root.get() < 0) {
    return std::nullopt;
  }
  const Descriptor place(Locate(root.get(), "/dev", O_DIRECTORY));
  const int fd = place.get() < 0 ? -1 : OpenLocated(place.get(), O_DIRECTORY);
  const std::unique_ptr<DIR, Closer> directory(fd < 0 ? nullptr : fdopendir(fd));
  if (directory == nullptr) {
    if (fd >= 0) {
      close(fd);
    }
    return std::nullopt;
  }
  std::set<dev_t> devices;
  for (int seen = 0; seen < kMostNames; ++seen) {
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) {
      return devices;
    }
    struct stat facts {};
    if (fstatat(dirfd(directory.get()), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISCHR(facts.st_mode)) {
      devices.insert(facts.st_rdev);
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::agent
