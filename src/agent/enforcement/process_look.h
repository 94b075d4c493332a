// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/usage/process_owner.h"
#include "base/status.h"

// What /proc says of a process of this node: proc(5), "/proc/pid/maps", "stat", "fd", "cgroup".
// Processes of containers are strangers: they choose their names, the paths of what they map and
// how much of it there is. So every text is read up to a bound, and files are told apart by device
// and inode, which the kernel writes, never by path.
//
// Thread-safe: no state but the path of /proc. Nothing is opened but files of procfs itself.

namespace aliquot::agent {

// Device and inode: what a file is, whatever it is called.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;

  friend bool operator==(const FileIdentity& a, const FileIdentity& b) {
    return a.device == b.device && a.inode == b.inode;
  }
  friend bool operator<(const FileIdentity& a, const FileIdentity& b) {
    return a.device != b.device ? a.device < b.device : a.inode < b.inode;
  }
};

// The file at a path that is ours to trust (the shelf); nothing when there is none.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// One file that a process has mapped, listed once however many mappings it has.
struct MappedFile {
  FileIdentity identity;
  std::string path;  // as the process names it; " (deleted)" may follow
  bool executable = false;
};

struct MappedFiles {
  std::vector<MappedFile> files;
  bool complete = true;  // false: the text was longer than what is read of it
  // There was any text. A process that is ending has none any more, although the driver may list it
  // for some time yet: its memory goes before its files do.
  bool alive = false;
};

// The text of /proc/<pid>/maps. Lines that are none are left out. Pure.
MappedFiles ParseMaps(std::string_view text);

// Field 22 of /proc/<pid>/stat: clock ticks from boot to the start of the process. With the number
// it names a process for good, since numbers are used again. Pure.
std::optional<std::uint64_t> ParseStartTicks(std::string_view stat);

// The last number of "NSpid:" in /proc/<pid>/status: what the process itself is told as its own.
std::optional<pid_t> ParseInnermostPid(std::string_view status);

// "libcuda.so.535.104.05", "libnvidia-ml.so.1" and their like, with any directory before: a process
// that has one of them mapped can use a card. Pure.
bool IsDriverLibrary(std::string_view path);

struct ProcessLook {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  pid_t own_pid = 0;  // in its own process namespace; 0 = not known
  std::string name;   // as it calls itself, made printable
  ProcessOwner owner;
  MappedFiles mapped;
  std::set<dev_t> devices;  // numbers of the character devices that it has open

  bool Maps(const FileIdentity& file) const;
  // A driver's library that is not `ours` is mapped.
  bool MapsDriver() const;
};

class ProcessReader {
 public:
  // `proc` is where the host's /proc is seen; tests give a directory of their own.
  explicit ProcessReader(std::string proc = "/proc") : proc_(std::move(proc)) {}

  const std::string& proc() const { return proc_; }
  // Every process that is now in a pod's control group, with its owner. Reads one small file each.
  struct Member {
    pid_t pid = 0;
    ProcessOwner owner;
  };
  std::vector<Member> Members() const;

  // All of it. NOT_FOUND: the process is gone, or is no pod's. PERMISSION_DENIED: /proc does not
  // let us look (CAP_SYS_PTRACE is missing). What it says is of one process: its start is read
  // before and after.
  Result<ProcessLook> Look(pid_t pid) const;
  std::optional<std::uint64_t> StartTicks(pid_t pid) const;
  // What it has mapped, alone. `wanted` is found if it is mapped, however many other files are; it
  // is not `complete` only where even the text is longer than what is read. Errors as Look.
  Result<MappedFiles> Mapped(pid_t pid, const FileIdentity& wanted) const;

 private:
  const std::string proc_;
};

}  // namespace aliquot::agent
