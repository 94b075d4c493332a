// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_store.h"

#include <algorithm>
#include <cerrno>
#include <random>
#include <utility>

#include "agent/grant/cdi_spec.h"
#include "agent/grant/decision.h"
#include "agent/grant/grant_builder.h"
#include "agent/grant/storage_error.h"
#include "agent/grant/usage_region_file.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

std::string Nonce() {
  std::random_device random;
  return std::to_string(random()) + "-" + std::to_string(random());
}

}  // namespace

GrantStore::GrantStore(StoreOptions options, const FileSystem& files, const Clock& clock)
    : options_(std::move(options)),
      layout_(options_.edits.state_directory),
      files_(files),
      clock_(clock),
      nonce_(Nonce()) {}

std::string GrantStore::Aside(const std::string& directory, const std::string& name) const {
  return directory + "/" + name + "." + nonce_ + "." + std::to_string(++asides_);
}

std::string GrantStore::CdiPath(const std::string& name) const {
  return options_.cdi_directory.empty() ? "" : options_.cdi_directory + "/" + CdiSpecFile(name);
}

std::optional<Refusal> GrantStore::Write(const GrantPlan& plan) {
  const std::string& name = plan.record.name;
  const std::string built = Aside(layout_.Building(), name);
  std::string spec;
  MakeAgain();
  Status status = BuildGrant(files_, plan, built, layout_.root());
  if (status.ok() && !options_.cdi_directory.empty()) {
    // No scanner of CDI directories reads a file whose name does not end in .json or .yaml.
    spec = Aside(options_.cdi_directory, "." + name);
    if (const int error = files_.WriteNew(spec, FormatCdiSpec(plan, options_.edits), 0644)) {
      status = StorageError(options_.cdi_directory, "writing the CDI specification", error);
      spec.clear();
    }
  }
  std::vector<std::string> remains;
  if (status.ok()) {
    MutexLock lock(mutex_);
    status = Publish(plan, built, spec, remains);
  }
  if (!status.ok()) {
    remains.push_back(built);
    if (!spec.empty()) {
      remains.push_back(spec);
    }
  }
  RemoveRemains(remains);
  if (status.ok()) {
    return std::nullopt;
  }
  return Refusal{RefusalReason::kStorage, "container " + Printable(plan.record.identity.container) +
                                              " of pod " +
                                              Printable(plan.record.identity.key.ToString(), 320) +
                                              " cannot be given its cards: " + status.message()};
}

// Somebody has emptied the state directory: what a start needs is made again. What fails here fails
// in building the grant too, which says why.
void GrantStore::MakeAgain() {
  MutexLock lock(mutex_);
  const auto missing = [this](const std::string& path) {
    FileLook look;
    return files_.Look(path, look) == ENOENT;
  };
  if (!missing(layout_.BootId()) && !missing(layout_.Grants()) && !missing(layout_.Usage()) &&
      !missing(layout_.Building()) && !missing(layout_.Retired())) {
    return;
  }
  if (MakeDirectories().ok()) {
    static_cast<void>(WriteBootId());
  }
}

Status GrantStore::Publish(const GrantPlan& plan, const std::string& built, const std::string& spec,
                           std::vector<std::string>& remains) {
  const std::string& name = plan.record.name;
  Status usage = PrepareUsageRegion(files_, layout_, name, plan.record.identity);
  if (!usage.ok()) {
    return usage;
  }
  // What lies there may be an older grant, or directories that a runtime made of mount sources that
  // were missing.
  FileLook look;
  const std::string place = layout_.Grant(name);
  const bool replaces = files_.Look(place, look) == 0;
  const int error = replaces ? files_.Exchange(built, place) : files_.Rename(built, place);
  if (error != 0) {
    return StorageError(layout_.root(), "putting the grant into place", error);
  }
  if (!spec.empty()) {
    if (const int failed = files_.Rename(spec, CdiPath(name))) {
      // Back as it was: half a grant is none.
      const int undone = replaces ? files_.Exchange(built, place) : files_.Rename(place, built);
      if (undone != 0) {
        Detach(name, remains);
      }
      return StorageError(options_.cdi_directory, "putting the CDI specification into place",
                          failed);
    }
  }
  if (replaces) {
    remains.push_back(built);
  }
  std::vector<std::string> ended;
  for (const auto& [other, kept] : grants_) {
    if (other != name && EndsAtStartOf(kept.record.identity, plan.record.identity)) {
      ended.push_back(other);
    }
  }
  for (const std::string& each : ended) {
    Detach(each, remains);
  }
  grants_[name] = {plan.record, ++serial_};
  return Status::Ok();
}

int GrantStore::Detach(const std::string& name, std::vector<std::string>& remains) {
  // The specification first: it is what a start in CDI mode hangs on.
  if (!options_.cdi_directory.empty()) {
    const int error = files_.RemoveFile(CdiPath(name));
    if (error != 0 && error != ENOENT) {
      return error;
    }
  }
  const std::string away = Aside(layout_.Retired(), name);
  const int error = files_.Rename(layout_.Grant(name), away);
  if (error != 0 && error != ENOENT) {
    return error;
  }
  if (error == 0) {
    remains.push_back(away);
  }
  // At once: the name may be given again the moment the lock is let go.
  files_.RemoveTree(layout_.UsageDirectory(name));
  grants_.erase(name);
  return 0;
}

void GrantStore::RemoveRemains(const std::vector<std::string>& remains) const {
  for (const std::string& each : remains) {
    files_.RemoveTree(each);
  }
}

Result<bool> GrantStore::Retire(const std::string& name) {
  MutexLock lock(mutex_);
  FileLook look;
  const auto found = grants_.find(name);
  const bool known = found != grants_.end();
  Retired retired;
  retired.since = clock_.SteadyNow();
  if (known) {
    const GrantRecord& record = found->second.record;
    retired.uid = record.identity.uid;
    retired.driver = record.driver;
    retired.library = record.library;
  }
  if (!known && files_.Look(layout_.Grant(name), look) == ENOENT &&
      (options_.cdi_directory.empty() || files_.Look(CdiPath(name), look) == ENOENT)) {
    return false;
  }
  // It is not removed yet: should its container run after all, its limits stay readable until its
  // pod is gone.
  std::vector<std::string> away;
  if (const int error = Detach(name, away)) {
    return StorageError(layout_.root(), "taking away an older grant of the same device IDs", error);
  }
  for (const std::string& each : away) {
    retired_[each] = retired;
  }
  return true;
}

std::size_t GrantStore::Remove(const std::string& uid) {
  std::vector<std::string> remains;
  std::size_t removed = 0;
  {
    MutexLock lock(mutex_);
    std::vector<std::string> names;
    for (const auto& [name, kept] : grants_) {
      if (kept.record.identity.uid == uid) {
        names.push_back(name);
      }
    }
    for (const std::string& name : names) {
      removed += Detach(name, remains) == 0 ? 1 : 0;
    }
    for (auto at = retired_.begin(); at != retired_.end();) {
      if (!uid.empty() && at->second.uid == uid) {
        remains.push_back(at->first);
        at = retired_.erase(at);
      } else {
        ++at;
      }
    }
  }
  RemoveRemains(remains);
  return removed;
}

std::optional<GrantRecord> GrantStore::Find(std::string_view name) const {
  MutexLock lock(mutex_);
  const auto found = grants_.find(name);
  return found == grants_.end() ? std::nullopt : std::optional<GrantRecord>(found->second.record);
}

bool GrantStore::Filled(std::string_view uid, std::string_view container) const {
  MutexLock lock(mutex_);
  return std::any_of(grants_.begin(), grants_.end(), [&](const auto& each) {
    const ContainerIdentity& who = each.second.record.identity;
    return who.uid == uid && who.container == container;
  });
}

std::set<std::string> GrantStore::DriverDirectories() const {
  MutexLock lock(mutex_);
  std::set<std::string> directories;
  for (const auto& [name, kept] : grants_) {
    directories.insert(kept.record.driver);
  }
  for (const auto& [path, retired] : retired_) {
    directories.insert(retired.driver);
  }
  directories.erase("");
  return directories;
}

std::set<std::string> GrantStore::LibraryVersions() const {
  MutexLock lock(mutex_);
  std::set<std::string> versions;
  for (const auto& [name, kept] : grants_) {
    versions.insert(kept.record.library);
  }
  for (const auto& [path, retired] : retired_) {
    versions.insert(retired.library);
  }
  versions.erase("");
  return versions;
}

}  // namespace aliquot::agent
