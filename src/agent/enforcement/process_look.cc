// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_look.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <memory>
#include <system_error>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

constexpr std::size_t kMostMapsBytes = 32 << 20;
constexpr std::size_t kMostMappedFiles = 8192;
constexpr std::size_t kMostDescriptors = 65536;
constexpr std::size_t kMostSmallBytes = 64 << 10;
constexpr std::size_t kChunkBytes = 256 << 10;
constexpr int kMostThreadsTried = 16;

struct Closer {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, Closer>;

class File {
 public:
  explicit File(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)), error_(fd_ < 0 ? errno : 0) {}
  ~File() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int error() const { return error_; }
  // The next piece; "" at the end and on an error.
  std::string_view Next(std::string& room) {
    ssize_t got = 0;
    do {
      got = error_ != 0 ? 0 : read(fd_, room.data(), room.size());
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
      error_ = errno;
    }
    return std::string_view(room.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }

 private:
  const int fd_;
  int error_;
};

Status LookError(const std::string& path, int error) {
  const std::string what = path + " cannot be read: " + std::generic_category().message(error);
  if (error == EACCES || error == EPERM) {
    return Status(StatusCode::kPermissionDenied,
                  what + "; give the agent CAP_SYS_PTRACE and the host's process namespace");
  }
  return error == ENOENT || error == ESRCH ? NotFound(what) : Unavailable(what);
}

Result<std::string> ReadSmall(const std::string& path) {
  File file(path);
  std::string text;
  std::string room(4096, '\0');
  for (std::string_view piece = file.Next(room); !piece.empty() && text.size() < kMostSmallBytes;
       piece = file.Next(room)) {
    text.append(piece);
  }
  if (file.error() != 0) {
    return LookError(path, file.error());
  }
  return text;
}

template <typename T>
bool TakeNumber(std::string_view& text, T& number, int base) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

std::string_view TakeField(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(start);
  const std::string_view field = text.substr(0, text.find(' '));
  text.remove_prefix(field.size());
  return field;
}

// Collects mapped files line by line.
class MapsScan {
 public:
  explicit MapsScan(std::optional<FileIdentity> wanted = std::nullopt) : wanted_(wanted) {}

  // "7f..-7f.. r-xp 00000000 00:1b 1234      /path": the path may hold blanks.
  void AddLine(std::string_view line) {
    result_.alive = result_.alive || !line.empty();
    TakeField(line);
    const std::string_view rights = TakeField(line);
    TakeField(line);
    std::string_view device = TakeField(line);
    std::string_view inode = TakeField(line);
    unsigned major_number = 0;
    unsigned minor_number = 0;
    ino_t number = 0;
    if (rights.size() < 4 || !TakeNumber(device, major_number, 16) || device.empty() ||
        device.front() != ':') {
      return;
    }
    device.remove_prefix(1);
    if (!TakeNumber(device, minor_number, 16) || !TakeNumber(inode, number, 10) || number == 0) {
      return;
    }
    Add({makedev(major_number, minor_number), number}, Trim(line), rights[2] == 'x');
  }

  MappedFiles Take(bool complete) {
    result_.complete = result_.complete && complete;
    return std::move(result_);
  }

 private:
  void Add(const FileIdentity& identity, std::string_view path, bool executable) {
    const auto [known, fresh] = places_.try_emplace(identity, result_.files.size());
    if (!fresh) {
      result_.files[known->second].executable |= executable;
      return;
    }
    if (result_.files.size() >= kMostMappedFiles && !(wanted_ && *wanted_ == identity)) {
      places_.erase(known);
      result_.complete = result_.complete && wanted_.has_value();
      return;
    }
    result_.files.push_back({identity, std::string(path), executable});
  }

  const std::optional<FileIdentity> wanted_;
  std::map<FileIdentity, std::size_t> places_;
  MappedFiles result_;
};

Result<MappedFiles> ReadMaps(const std::string& path,
                             std::optional<FileIdentity> wanted = std::nullopt) {
  File file(path);
  MapsScan scan(wanted);
  std::string room(kChunkBytes, '\0');
  std::string rest;
  std::size_t read = 0;
  for (std::string_view piece = file.Next(room); !piece.empty(); piece = file.Next(room)) {
    read += piece.size();
    if (read > kMostMapsBytes || rest.size() > kChunkBytes) {
      return scan.Take(false);
    }
    rest.append(piece);
    std::size_t start = 0;
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n', start)) {
      scan.AddLine(std::string_view(rest).substr(start, end - start));
      start = end + 1;
    }
    rest.erase(0, start);
  }
  if (file.error() != 0) {
    return LookError(path, file.error());
  }
  scan.AddLine(rest);
  return scan.Take(true);
}

// A process whose first thread has ended, while others go on, shows no mappings under its own
// number but under theirs: else it could hide that way what it runs.
Result<MappedFiles> ReadMapsOfAny(const std::string& process,
                                  std::optional<FileIdentity> wanted = std::nullopt) {
  auto maps = ReadMaps(process + "/maps", wanted);
  if (!maps.ok() || maps->alive) {
    return maps;
  }
  const Directory threads(opendir((process + "/task").c_str()));
  for (int tried = 0; threads != nullptr && tried < kMostThreadsTried; ++tried) {
    const dirent* entry = readdir(threads.get());
    if (entry == nullptr) {
      break;
    }
    if (entry->d_name[0] == '.') {
      continue;
    }
    auto of_thread = ReadMaps(process + "/task/" + entry->d_name + "/maps", wanted);
    if (of_thread.ok() && of_thread->alive) {
      return of_thread;
    }
  }
  return maps;
}

// Through the descriptor itself, so that its name does not matter, and without asking a file system
// that the container may run by itself.
Status ReadDevices(const std::string& path, std::set<dev_t>& devices) {
  const Directory directory(opendir(path.c_str()));
  if (directory == nullptr) {
    return LookError(path, errno);
  }
  std::size_t seen = 0;
  while (const dirent* entry = readdir(directory.get())) {
    struct statx facts {};
    if (entry->d_name[0] == '.') {
      continue;
    }
    if (++seen > kMostDescriptors) {
      return Status(StatusCode::kResourceExhausted,
                    path + " has more than " + std::to_string(kMostDescriptors) + " descriptors");
    }
    if (statx(dirfd(directory.get()), entry->d_name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
              STATX_TYPE, &facts) == 0 &&
        S_ISCHR(facts.stx_mode)) {
      devices.insert(makedev(facts.stx_rdev_major, facts.stx_rdev_minor));
    }
  }
  return Status::Ok();
}

}  // namespace

std::optional<FileIdentity> IdentityOf(const std::string& path) {
  struct stat facts {};
  if (lstat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return std::nullopt;
  }
  return FileIdentity{facts.st_dev, facts.st_ino};
}

MappedFiles ParseMaps(std::string_view text) {
  MapsScan scan;
  for (const std::string_view line : Split(text, '\n')) {
    scan.AddLine(line);
  }
  return scan.Take(true);
}

std::optional<std::uint64_t> ParseStartTicks(std::string_view stat) {
  // The name, field 2, is in brackets and may hold any character: what counts is the last bracket.
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) {
    return std::nullopt;
  }
  stat.remove_prefix(bracket + 1);
  std::string_view field;
  for (int i = 3; i <= 22; ++i) {
    field = TakeField(stat);
  }
  std::uint64_t ticks = 0;
  return TakeNumber(field, ticks, 10) ? std::optional(ticks) : std::nullopt;
}

std::optional<pid_t> ParseInnermostPid(std::string_view status) {
  for (std::string_view line : Split(status, '\n')) {
    if (!StartsWith(line, "NSpid:")) {
      continue;
    }
    std::string_view last = line.substr(line.find_last_of("\t :") + 1);
    pid_t pid = 0;
    return TakeNumber(last, pid, 10) ? std::optional(pid) : std::nullopt;
  }
  return std::nullopt;
}

bool IsDriverLibrary(std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  return StartsWith(file, "libcuda.so") || StartsWith(file, "libnvidia-ml.so");
}

bool ProcessLook::Maps(const FileIdentity& file) const {
  return std::any_of(mapped.files.begin(), mapped.files.end(),
                     [&](const MappedFile& each) { return each.identity == file; });
}

bool ProcessLook::MapsDriver() const {
  return std::any_of(mapped.files.begin(), mapped.files.end(), [](const MappedFile& each) {
    return each.executable && IsDriverLibrary(each.path);
  });
}

std::vector<ProcessReader::Member> ProcessReader::Members() const {
  std::vector<Member> members;
  const Directory directory(opendir(proc_.c_str()));
  while (directory != nullptr) {
    const dirent* entry = readdir(directory.get());
    if (entry == nullptr) {
      break;
    }
    std::string_view name(entry->d_name);
    pid_t pid = 0;
    if (!TakeNumber(name, pid, 10) || !name.empty()) {
      continue;
    }
    if (auto owner = OwnerOf(pid, proc_)) {
      members.push_back({pid, *std::move(owner)});
    }
  }
  return members;
}

std::optional<std::uint64_t> ProcessReader::StartTicks(pid_t pid) const {
  const auto stat = ReadSmall(proc_ + "/" + std::to_string(pid) + "/stat");
  return stat.ok() ? ParseStartTicks(*stat) : std::nullopt;
}

Result<MappedFiles> ProcessReader::Mapped(pid_t pid, const FileIdentity& wanted) const {
  return ReadMapsOfAny(proc_ + "/" + std::to_string(pid), wanted);
}

Result<ProcessLook> ProcessReader::Look(pid_t pid) const {
  const std::string folder = proc_ + "/" + std::to_string(pid);
  ProcessLook look;
  look.pid = pid;
  const auto start = StartTicks(pid);
  auto owner = OwnerOf(pid, proc_);
  if (!start || !owner) {
    return NotFound("process " + std::to_string(pid) + " is gone or belongs to no pod");
  }
  look.start_ticks = *start;
  look.owner = *std::move(owner);
  if (const auto name = ReadSmall(folder + "/comm"); name.ok()) {
    look.name = Printable(Trim(*name), 32);
  }
  if (const auto status = ReadSmall(folder + "/status"); status.ok()) {
    look.own_pid = ParseInnermostPid(*status).value_or(0);
  }
  auto mapped = ReadMapsOfAny(folder);
  if (!mapped.ok()) {
    return mapped.status();
  }
  look.mapped = *std::move(mapped);
  if (const Status read = ReadDevices(folder + "/fd", look.devices); !read.ok()) {
    return read;
  }
  if (StartTicks(pid) != start) {
    return NotFound("process " + std::to_string(pid) + " ended while it was looked at");
  }
  return look;
}

}  // namespace aliquot::agent
