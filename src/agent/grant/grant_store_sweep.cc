// SPDX-License-Identifier: Apache-2.0
// GrantStore's start and its sweeps: what lies on disk that nobody asked for just now.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "agent/grant/cdi_spec.h"
#include "agent/grant/grant_builder.h"
#include "agent/grant/grant_store.h"
#include "agent/grant/storage_error.h"
#include "base/strings.h"
#include "quota/usage_region.h"

namespace aliquot::agent {
namespace {

constexpr std::size_t kMaxBootIdBytes = 256;

}  // namespace

Status GrantStore::MakeDirectories() {
  struct Folder {
    std::string path;
    mode_t mode;
  };
  // Only root reads what tenants write and what waits to be removed; grants are walked through by
  // whoever mounts them.
  std::vector<Folder> folders = {{layout_.root(), 0711},    {layout_.Grants(), 0711},
                                 {layout_.Usage(), 0700},   {layout_.Building(), 0700},
                                 {layout_.Retired(), 0700}, {layout_.Damaged(), 0700}};
  if (!options_.cdi_directory.empty()) {
    folders.push_back({options_.cdi_directory, 0755});
  }
  for (const Folder& each : folders) {
    if (const int error = files_.MakeDirectories(each.path, each.mode)) {
      return StorageError(each.path, "making the directory", error);
    }
  }
  return Status::Ok();
}

Status GrantStore::WriteBootId() {
  const std::string aside = Aside(layout_.root(), "boot-id");
  int error = files_.WriteNew(aside, boot_id_ + "\n", 0644);
  error = error != 0 ? error : files_.Rename(aside, layout_.BootId());
  if (error != 0) {
    files_.RemoveTree(aside);
    return StorageError(layout_.root(), "writing boot-id", error);
  }
  return Status::Ok();
}

Status GrantStore::CheckBoot(Recovered& recovered) {
  std::string before;
  files_.Read(layout_.BootId(), kMaxBootIdBytes, before);
  std::vector<std::string> names;
  files_.List(layout_.Grants(), names);
  if (!names.empty() && Trim(before) != boot_id_) {
    for (const std::string& name : names) {
      const int error =
          files_.Rename(layout_.Grant(name), Aside(layout_.Retired(), "earlier-boot"));
      if (error != 0) {
        return StorageError(layout_.root(), "taking away the grants of an earlier boot", error);
      }
    }
    recovered.notes.push_back(layout_.Grants() + " held " + std::to_string(names.size()) +
                              " grants of an earlier boot, which were taken away; mount " +
                              layout_.root() + " as tmpfs, so that a reboot empties it");
  }
  return WriteBootId();
}

void GrantStore::SetAside(const std::string& path, const std::string& name) {
  std::vector<std::string> kept;
  files_.List(layout_.Damaged(), kept);
  if (kept.size() >= kMostDamaged || files_.Rename(path, Aside(layout_.Damaged(), name)) != 0) {
    files_.RemoveTree(path);
  }
}

void GrantStore::ReadGrant(const std::string& name, Recovered& recovered) {
  const std::string directory = layout_.Grant(name);
  const std::string file = directory + "/" + kGrantRecordFile;
  std::string text;
  const int error = files_.Read(file, kMaxGrantRecordBytes, text);
  if (error == ENOENT) {
    return;  // no grant, but what a runtime made of a missing mount source: Sweep's
  }
  Status damage;
  if (error != 0) {
    damage = StorageError(file, "reading it", error);
  } else {
    auto record = ParseGrantRecord(text);
    if (record.ok() && record->name == name) {
      recovered.grants.push_back(*record);
      MutexLock lock(mutex_);
      grants_[name] = {*std::move(record), ++serial_};
      return;
    }
    damage = record.ok() ? InvalidArgument("is the record of another grant") : record.status();
  }
  SetAside(directory, name);
  files_.RemoveFile(CdiPath(name));
  recovered.notes.push_back(file + " " + damage.message() + "; it was set aside in " +
                            layout_.Damaged() +
                            ", and its container gets a new grant at its next start");
}

void GrantStore::RemoveStrayCdiSpecs() {
  if (options_.cdi_directory.empty()) {
    return;
  }
  std::vector<std::string> files;
  files_.List(options_.cdi_directory, files);
  MutexLock lock(mutex_);
  for (const std::string& file : files) {
    const std::string name = GrantOfCdiSpecFile(file);
    // A name that begins with a dot is a specification that was not finished.
    const bool unfinished = StartsWith(file, ".g") && file.find('.', 2) == 34;
    if (unfinished || (!name.empty() && grants_.find(name) == grants_.end())) {
      files_.RemoveFile(options_.cdi_directory + "/" + file);
    }
  }
}

// A container may run on with a grant that Retire took away (the kubelet gave its IDs twice): whose
// it is, is known again, so that its limits stay until its pod is gone. Nothing runs with what is
// of an earlier boot or was never in place.
void GrantStore::RecallRetired() {
  std::vector<std::string> names;
  files_.List(layout_.Retired(), names);
  for (const std::string& name : names) {
    const std::string path = layout_.Retired() + "/" + name;
    Retired retired;
    retired.since = clock_.SteadyNow();
    std::string text;
    if (StartsWith(name, "g") &&
        files_.Read(path + "/" + kGrantRecordFile, kMaxGrantRecordBytes, text) == 0) {
      if (const auto record = ParseGrantRecord(text); record.ok()) {
        retired.uid = record->identity.uid;
        retired.driver = record->driver;
        retired.library = record->library;
      }
    }
    MutexLock lock(mutex_);
    retired_[path] = std::move(retired);
  }
}

Result<Recovered> GrantStore::Recover(const std::string& boot_id) {
  if (Trim(boot_id).empty()) {
    return InvalidArgument(
        "the boot ID is empty, so grants of an earlier boot cannot be told; see "
        "that the agent can read /proc/sys/kernel/random/boot_id");
  }
  boot_id_ = std::string(Trim(boot_id));
  Recovered recovered;
  if (Status made = MakeDirectories(); !made.ok()) {
    return made;
  }
  if (Status checked = CheckBoot(recovered); !checked.ok()) {
    return checked;
  }
  std::vector<std::string> unfinished;
  files_.List(layout_.Building(), unfinished);
  for (const std::string& each : unfinished) {
    files_.Rename(layout_.Building() + "/" + each, Aside(layout_.Retired(), "unfinished"));
  }
  std::vector<std::string> names;
  files_.List(layout_.Grants(), names);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    ReadGrant(name, recovered);
  }
  RemoveStrayCdiSpecs();
  RecallRetired();
  return recovered;
}

bool GrantStore::Due(const std::string& path, std::uint64_t serial) {
  const SteadyTime now = clock_.SteadyNow();
  Orphan& orphan = orphans_.emplace(path, Orphan{now, serial, sweep_}).first->second;
  if (orphan.serial != serial) {
    orphan = {now, serial, sweep_};
  }
  orphan.sweep = sweep_;
  return now - orphan.since >= options_.grace;
}

void GrantStore::SweepGrants(const std::set<std::string>& live_uids,
                             std::vector<std::string>& remains, SweepResult& result) {
  struct Named {
    std::string name;
    std::uint64_t serial;
  };
  std::vector<Named> orphans;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, kept] : grants_) {
      if (live_uids.count(kept.record.identity.uid) == 0) {
        orphans.push_back({name, kept.serial});
      }
    }
  }
  for (const auto& [name, serial] : orphans) {
    if (!Due(layout_.Grant(name), serial)) {
      continue;
    }
    if (result.removed == kMostPerSweep) {
      result.more = true;  // and see the others, so that their time goes on
      continue;
    }
    MutexLock lock(mutex_);
    const auto found = grants_.find(name);
    if (found == grants_.end() || found->second.serial != serial) {
      continue;  // gone or written anew in the meantime
    }
    const std::string uid = found->second.record.identity.uid;
    if (Detach(name, remains) == 0) {
      ++result.removed;
      result.pod_uids.push_back(uid);
    }
  }
}

void GrantStore::SweepStrays(std::vector<std::string>& remains, SweepResult& result) {
  std::set<std::string> known;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, kept] : grants_) {
      known.insert(name);
    }
  }
  for (const std::string& directory : {layout_.Grants(), layout_.Usage()}) {
    std::vector<std::string> names;
    files_.List(directory, names);
    for (const std::string& name : names) {
      const std::string path = directory + "/" + name;
      if (known.count(name) != 0 || !Due(path, 0)) {
        continue;
      }
      if (result.removed == kMostPerSweep) {
        result.more = true;
        continue;
      }
      MutexLock lock(mutex_);
      if (grants_.find(name) != grants_.end()) {
        continue;  // written in the meantime
      }
      const std::string away = Aside(layout_.Retired(), "stray");
      // The usage files may be on a file system of their own: then they are removed where they
      // lie, and are small.
      if (files_.Rename(path, away) == 0) {
        remains.push_back(away);
        ++result.removed;
      } else {
        result.removed += files_.RemoveTree(path) == 0 ? 1 : 0;
      }
    }
  }
}

void GrantStore::SweepRetired(const std::set<std::string>& live_uids,
                              std::vector<std::string>& remains, SweepResult& result) {
  const SteadyTime now = clock_.SteadyNow();
  MutexLock lock(mutex_);
  for (auto at = retired_.begin(); at != retired_.end();) {
    if (now - at->second.since < options_.grace || live_uids.count(at->second.uid) != 0) {
      ++at;
      continue;
    }
    if (result.removed == kMostPerSweep) {
      result.more = true;
      return;
    }
    remains.push_back(at->first);
    ++result.removed;
    at = retired_.erase(at);
  }
}

// What a container writes past the end of its usage file takes room from everybody's.
void GrantStore::CutUsage(SweepResult& result) {
  std::map<std::string, ContainerIdentity> regions;
  {
    MutexLock lock(mutex_);
    for (const auto& [name, kept] : grants_) {
      regions.emplace(layout_.UsageRegion(name), kept.record.identity);
    }
  }
  for (const auto& [region, who] : regions) {
    bool grown = false;
    const int error = files_.Cut(region, sizeof(quota::UsageRegion), grown);
    if (grown) {
      result.grown.push_back({who.key.ToString(), who.container, error});
    }
  }
}

SweepResult GrantStore::Sweep(const std::set<std::string>& live_uids) {
  SweepResult result;
  std::vector<std::string> remains;
  MutexLock sweeping(sweep_mutex_);
  ++sweep_;
  // Strays first: what a grant leaves in its place for a moment, while it goes, is none.
  SweepStrays(remains, result);
  SweepGrants(live_uids, remains, result);
  SweepRetired(live_uids, remains, result);
  CutUsage(result);
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    at = at->second.sweep == sweep_ ? std::next(at) : orphans_.erase(at);
  }
  RemoveRemains(remains);
  return result;
}

}  // namespace aliquot::agent
