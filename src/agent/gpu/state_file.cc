// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/state_file.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <system_error>

#include "agent/gpu/profile_text.h"
#include "program/problems.h"

namespace aliquot::agent {
namespace {

bool SameTime(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         SameTime(a.st_mtim, b.st_mtim) && SameTime(a.st_ctim, b.st_ctim);
}

}  // namespace

Result<MachineState> StateFile::Read(const MachineProfile& profile) {
  struct stat now {};
  if (path_.empty() || (stat(path_.c_str(), &now) != 0 && errno == ENOENT)) {
    last_.reset();
    return IntactState(profile);
  }
  // A stat that fails otherwise leaves zeros, which no file has: the read below says why.
  if (!last_ || !SameFile(now, seen_)) {
    seen_ = now;
    last_ = Parse(profile);
  }
  return *last_;
}

Result<MachineState> StateFile::Parse(const MachineProfile& profile) const {
  std::ifstream stream(path_, std::ios::binary);
  std::string text(kMaxStateBytes + 1, '\0');
  errno = 0;
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!stream.eof() || stream.bad()) {
    return InvalidArgument(stream.gcount() == static_cast<std::streamsize>(text.size())
                               ? path_ + ": the state file has more than " +
                                     std::to_string(kMaxStateBytes) + " bytes; shorten it"
                               : path_ + ": the state file cannot be read (" +
                                     std::error_code(errno, std::generic_category()).message() +
                                     "); make it a readable file");
  }
  text.resize(static_cast<std::size_t>(stream.gcount()));
  program::Problems problems;
  auto state = ParseMachineState(text, path_, profile, problems);
  if (!state) {
    return FirstProblem(problems);
  }
  return *std::move(state);
}

FileWatch::FileWatch(const std::string& path) {
  if (path.empty()) {
    return;
  }
  const auto directory = std::filesystem::path(path).parent_path();
  descriptor_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor_ >= 0 &&
      inotify_add_watch(descriptor_, directory.empty() ? "." : directory.c_str(),
                        IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE) < 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
}

FileWatch::~FileWatch() {
  if (descriptor_ >= 0) {
    close(descriptor_);
  }
}

void FileWatch::Wait(std::chrono::milliseconds timeout) {
  pollfd entry{descriptor_, POLLIN, 0};
  const auto wait = std::clamp<std::int64_t>(timeout.count(), 0, std::numeric_limits<int>::max());
  if (poll(&entry, descriptor_ >= 0 ? 1 : 0, static_cast<int>(wait)) <= 0) {
    return;
  }
  alignas(inotify_event) std::array<char, 4096> events;
  while (read(descriptor_, events.data(), events.size()) > 0) {
  }
}

}  // namespace aliquot::agent
