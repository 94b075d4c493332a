// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_table.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

// The name as maps shows it may be followed by a word of the kernel's.
std::string_view FileName(std::string_view path) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (path.size() > kDeleted.size() && path.substr(path.size() - kDeleted.size()) == kDeleted) {
    path.remove_suffix(kDeleted.size());
  }
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

LoadedLibrary JudgeMapped(const MappedFiles& mapped, const GivenLibrary& given) {
  if (!mapped.alive) {
    return LoadedLibrary::kUnknown;
  }
  LoadedLibrary found = mapped.complete ? LoadedLibrary::kNone : LoadedLibrary::kUnknown;
  for (const MappedFile& each : mapped.files) {
    if (each.executable && each.identity == given.identity) {
      return LoadedLibrary::kOurs;
    }
    if (each.executable && mapped.complete && FileName(each.path) == given.file) {
      found = LoadedLibrary::kOther;
    }
  }
  return found;
}

std::optional<FileIdentity> ProcessTable::ProgramOf(pid_t pid) const {
  struct statx facts {};
  const std::string path = reader_.proc() + "/" + std::to_string(pid) + "/exe";
  // The file may lie on a server that is gone, or on a file system of the container's own: that is
  // not asked, or it could hold the watchdog for ever.
  if (statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_INO, &facts) != 0) {
    return std::nullopt;
  }
  return FileIdentity{makedev(facts.stx_dev_major, facts.stx_dev_minor), facts.stx_ino};
}

std::optional<ProcessTable::Known> ProcessTable::Find(pid_t pid, SteadyTime now) {
  const auto start = reader_.StartTicks(pid);
  if (!start) {
    entries_.erase(pid);
    return std::nullopt;
  }
  Entry& entry = entries_[pid];
  entry.seen = now;
  if (entry.known.start_ticks != *start || entry.known.owner.pod_uid.empty()) {
    const auto owner = OwnerOf(pid, reader_.proc());
    if (!owner) {
      entries_.erase(pid);
      return std::nullopt;
    }
    entry = Entry();
    entry.known.start_ticks = *start;
    entry.known.owner = *owner;
    entry.seen = now;
  }
  return Known{entry.known.start_ticks, entry.known.owner, LoadedLibrary::kUnknown};
}

LoadedLibrary ProcessTable::LibraryOf(pid_t pid, const GivenLibrary& given, SteadyTime now) {
  const auto at = entries_.find(pid);
  if (at == entries_.end()) {
    return LoadedLibrary::kUnknown;
  }
  Entry& entry = at->second;
  const auto program = ProgramOf(pid);
  const bool holds = (entry.known.library == LoadedLibrary::kOurs || entry.cut_short) &&
                     entry.given == given.identity && entry.program == program &&
                     now - entry.checked < options_.recheck;
  if (holds) {
    return entry.known.library;
  }
  const auto mapped = reader_.Mapped(pid, given.identity);
  if (!mapped.ok() || reader_.StartTicks(pid) != entry.known.start_ticks) {
    refused_ = refused_ || mapped.status().code() == StatusCode::kPermissionDenied;
    return LoadedLibrary::kUnknown;
  }
  entry.known.library = JudgeMapped(*mapped, given);
  entry.cut_short = !mapped->complete;
  entry.given = given.identity;
  entry.program = program;
  entry.checked = now;
  return entry.known.library;
}

void ProcessTable::ForgetOld(SteadyTime now) {
  for (auto at = entries_.begin(); at != entries_.end();) {
    at = now - at->second.seen > options_.keep ? entries_.erase(at) : std::next(at);
  }
}

}  // namespace aliquot::agent
