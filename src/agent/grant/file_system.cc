// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>

namespace aliquot::agent {
namespace {

// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) {
      ::close(fd_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  // An error that only closing tells of, as on a network file system.
  int Close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0 ? 0 : errno;
  }

 private:
  int fd_;
};

int WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) {
      return errno;
    }
    if (written == 0) {
      return EIO;
    }
    text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  return 0;
}

// Opens a regular file for reading; waits for nothing, follows no link.
int OpenRegular(const std::string& path, int& fd, struct stat& status) {
  fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) {
    return errno == ELOOP ? EINVAL : errno;
  }
  if (::fstat(fd, &status) != 0) {
    const int error = errno;
    ::close(fd);
    return error;
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(fd);
    return EINVAL;
  }
  return 0;
}

int CopyBytes(int from, int to) {
  std::vector<char> buffer(std::size_t{1} << 20);
  for (;;) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) {
      return 0;
    }
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    if (const int error = WriteAll(to, {buffer.data(), static_cast<std::size_t>(got)})) {
      return error;
    }
  }
}

}  // namespace

int FileSystem::MakeDirectory(const std::string& path, mode_t mode) const {
  if (::mkdir(path.c_str(), 0700) != 0) {
    return errno;
  }
  if (::chmod(path.c_str(), mode) != 0) {
    const int error = errno;
    ::rmdir(path.c_str());
    return error;
  }
  return 0;
}

int FileSystem::MakeDirectories(const std::string& path, mode_t mode) const {
  const int error = MakeDirectory(path, mode);
  if (error == ENOENT) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) {
      return ENOENT;
    }
    const int above = MakeDirectories(path.substr(0, slash), 0755);
    return above != 0 ? above : MakeDirectories(path, mode);
  }
  if (error == EEXIST || error == EROFS) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      return error;
    }
    return S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
  }
  return error;
}

int FileSystem::MakeNode(const std::string& path, const DeviceNode& node) const {
  if (::mknod(path.c_str(), S_IFCHR | 0600, makedev(node.major, node.minor)) != 0) {
    return errno;
  }
  // The owner first: changing it may clear mode bits.
  if (::lchown(path.c_str(), node.uid, node.gid) != 0 ||
      ::chmod(path.c_str(), node.mode & 07777) != 0) {
    const int error = errno;
    ::unlink(path.c_str());
    return error;
  }
  return 0;
}

int FileSystem::WriteNew(const std::string& path, std::string_view text, mode_t mode) const {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) {
    return errno;
  }
  int error = WriteAll(file.get(), text);
  if (error == 0 && ::fchmod(file.get(), mode) != 0) {
    error = errno;
  }
  const int closed = file.Close();
  error = error != 0 ? error : closed;
  if (error != 0) {
    ::unlink(path.c_str());
  }
  return error;
}

int FileSystem::Copy(const std::string& from, const std::string& to, mode_t mode) const {
  int source = -1;
  struct stat status {};
  if (const int error = OpenRegular(from, source, status)) {
    return error;
  }
  const Descriptor reading(source);
  Descriptor writing(
      ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!writing.ok()) {
    return errno;
  }
  int error = CopyBytes(source, writing.get());
  if (error == 0 && (::fchmod(writing.get(), mode) != 0 || ::fsync(writing.get()) != 0)) {
    error = errno;
  }
  const int closed = writing.Close();
  error = error != 0 ? error : closed;
  if (error != 0) {
    ::unlink(to.c_str());
  }
  return error;
}

int FileSystem::Link(const std::string& from, const std::string& to) const {
  return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int FileSystem::MakeLink(const std::string& target, const std::string& path) const {
  return ::symlink(target.c_str(), path.c_str()) == 0 ? 0 : errno;
}

int FileSystem::Rename(const std::string& from, const std::string& to) const {
  return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int FileSystem::Exchange(const std::string& a, const std::string& b) const {
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

int FileSystem::RemoveFile(const std::string& path) const {
  return ::unlink(path.c_str()) == 0 ? 0 : errno;
}

int FileSystem::RemoveTree(const std::string& path) const {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error == std::errc::permission_denied) {
    // Only where the agent is not root: its read-only directories keep their files.
    std::error_code ignored;
    for (std::filesystem::recursive_directory_iterator at(path, ignored), end; at != end;
         at.increment(ignored)) {
      if (at->symlink_status(ignored).type() == std::filesystem::file_type::directory) {
        std::filesystem::permissions(at->path(), std::filesystem::perms::owner_all, ignored);
      }
    }
    std::filesystem::remove_all(path, error);
  }
  return error ? error.value() : 0;
}

int FileSystem::Look(const std::string& path, FileLook& look) const {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return errno;
  }
  look.kind = S_ISDIR(status.st_mode)   ? FileLook::Kind::kDirectory
              : S_ISREG(status.st_mode) ? FileLook::Kind::kRegular
              : S_ISLNK(status.st_mode) ? FileLook::Kind::kLink
                                        : FileLook::Kind::kOther;
  look.size = status.st_size;
  look.links = status.st_nlink;
  look.modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
  return 0;
}

int FileSystem::List(const std::string& path, std::vector<std::string>& names) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (directory == nullptr) {
    return errno;
  }
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(directory.get());
    if (entry == nullptr) {
      return errno;
    }
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
}

int FileSystem::Read(const std::string& path, std::size_t most, std::string& text) const {
  int fd = -1;
  struct stat status {};
  if (const int error = OpenRegular(path, fd, status)) {
    return error;
  }
  const Descriptor file(fd);
  if (static_cast<std::uint64_t>(status.st_size) > most) {
    return EFBIG;
  }
  text.clear();
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(fd, buffer, sizeof(buffer));
    if (got == 0) {
      return 0;
    }
    if (got < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) {
      return EFBIG;
    }
  }
}

int FileSystem::ReadHead(const std::string& path, std::size_t most, std::string& text) const {
  int fd = -1;
  struct stat status {};
  if (const int error = OpenRegular(path, fd, status)) {
    return error;
  }
  const Descriptor file(fd);
  text.resize(most);
  const ssize_t got = ::pread(fd, text.data(), most, 0);
  if (got < 0) {
    return errno;
  }
  text.resize(static_cast<std::size_t>(got));
  return 0;
}

int FileSystem::Restore(const std::string& path, mode_t mode) const {
  int fd = -1;
  struct stat status {};
  if (const int error = OpenRegular(path, fd, status)) {
    return error;
  }
  const Descriptor file(fd);
  const bool ours = status.st_uid == ::geteuid() && status.st_gid == ::getegid();
  if ((!ours && ::fchown(fd, ::geteuid(), ::getegid()) != 0) || ::fchmod(fd, mode) != 0) {
    return errno;
  }
  return 0;
}

int FileSystem::Cut(const std::string& path, std::size_t size, bool& grown) const {
  const auto too_large = [&](const struct stat& status) {
    // Blocks beyond the end do not show in the size (fallocate with KEEP_SIZE); a file system may
    // set some aside by itself.
    constexpr std::uint64_t kItsOwn = 1 << 20;
    return S_ISREG(status.st_mode) &&
           (static_cast<std::uint64_t>(status.st_size) > size ||
            static_cast<std::uint64_t>(status.st_blocks) * 512 > size + kItsOwn);
  };
  struct stat status {};
  grown = ::lstat(path.c_str(), &status) == 0 && too_large(status);
  if (!grown) {
    return 0;
  }
  const Descriptor file(
      ::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file.ok() || ::fstat(file.get(), &status) != 0) {
    return errno;
  }
  return !too_large(status) || ::ftruncate(file.get(), static_cast<off_t>(size)) == 0 ? 0 : errno;
}

}  // namespace aliquot::agent
