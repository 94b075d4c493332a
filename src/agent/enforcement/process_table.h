// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "agent/enforcement/process_look.h"
#include "agent/enforcement/verdict.h"
#include "base/clock.h"

namespace aliquot::agent {

// The library that a container was given, as the kernel tells files apart.
struct GivenLibrary {
  FileIdentity identity;
  std::string file;  // its name, "libaliquot.so"
};

// What is known of the processes on the cards, so that several looks a second cost one small read
// of /proc each: whose a process is, and whether it has the library mapped. A process is looked at
// anew when its number belongs to another one (by its start), when it runs another program (exec
// keeps the number and the start; the program's file is another), and after a while anyhow. Not
// thread-safe.
class ProcessTable {
 public:
  struct Known {
    std::uint64_t start_ticks = 0;
    ProcessOwner owner;
    LoadedLibrary library = LoadedLibrary::kUnknown;
  };

  struct Options {
    // Of a process whose library was found, and of one with more mappings than are read: else a few
    // such would keep the watchdog from all others.
    std::chrono::seconds recheck{10};
    std::chrono::seconds keep{30};  // what has left the cards is forgotten
  };

  ProcessTable(const ProcessReader& reader, Options options) : reader_(reader), options_(options) {}

  // Nothing: it is gone, or no pod's. `library` is left at kUnknown here.
  std::optional<Known> Find(pid_t pid, SteadyTime now);
  // The library of a process that Find has just found, against what its container was given.
  LoadedLibrary LibraryOf(pid_t pid, const GivenLibrary& given, SteadyTime now);
  void ForgetOld(SteadyTime now);
  // Looks into /proc that it did not allow since the last call of this.
  bool TakeRefused() { return std::exchange(refused_, false); }

 private:
  struct Entry {
    Known known;
    std::optional<FileIdentity> program;
    FileIdentity given;
    bool cut_short = false;  // its mappings are more than are read
    SteadyTime checked;
    SteadyTime seen;
  };

  std::optional<FileIdentity> ProgramOf(pid_t pid) const;

  const ProcessReader& reader_;
  const Options options_;
  std::map<pid_t, Entry> entries_;
  bool refused_ = false;
};

// By the files that a process has mapped: ours, mapped as code; another one of that name; none. A
// list that was cut short says nothing against the process, nor does that of one that is ending.
// Pure.
LoadedLibrary JudgeMapped(const MappedFiles& mapped, const GivenLibrary& given);

}  // namespace aliquot::agent
