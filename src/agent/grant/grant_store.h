// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/allocate_answer.h"
#include "agent/grant/file_system.h"
#include "agent/grant/grant_plan.h"
#include "agent/grant/grant_record.h"
#include "agent/grant/refusal.h"
#include "agent/grant/state_layout.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::agent {

struct StoreOptions {
  EditOptions edits;
  // Where CDI specifications are written; "" = nowhere. One is written for every grant in both
  // modes, so that a container whose answer to Allocate is of another mode starts again.
  std::string cdi_directory;
  // How long what no live pod names lies on before it is removed.
  std::chrono::nanoseconds grace = std::chrono::seconds(60);
};

// What a start of the agent found on disk.
struct Recovered {
  std::vector<GrantRecord> grants;
  // One sentence for each thing that was damaged and set aside, and for what a reboot left behind.
  std::vector<std::string> notes;
};

// A usage file that its container made larger than it is; `error` is why it could not be cut back.
struct GrownUsage {
  std::string pod;
  std::string container;
  int error = 0;
};

struct SweepResult {
  std::size_t removed = 0;
  bool more = false;                  // there is more that is due: call again soon
  std::vector<std::string> pod_uids;  // whose grants were removed
  std::vector<GrownUsage> grown;
};

// The grants on disk: everything below the state directory that the kubelet and the runtime read
// (docs/reference/grant.md has each file, its mode and why). A grant is built aside and renamed
// into place, so that a container finds all of it or nothing.
//
// Thread-safe. The lock is held for the renames of one grant and for making its usage file, not
// while a grant is built, a tree removed or a directory listed. Time is steady: a jump of the clock
// removes nothing.
class GrantStore {
 public:
  // A call to Sweep removes at most this many grants and strays.
  static constexpr std::size_t kMostPerSweep = 64;
  // So many damaged files are kept for people to look at; later ones are removed.
  static constexpr std::size_t kMostDamaged = 16;

  // `files` and `clock` outlive the store.
  GrantStore(StoreOptions options, const FileSystem& files, const Clock& clock);

  // Once, before anything else: makes the directories and reads what lies there. `boot_id` is
  // /proc/sys/kernel/random/boot_id: grants of another boot, whose minor numbers may be wrong, are
  // retired, and CDI specifications without a grant are removed.
  Result<Recovered> Recover(const std::string& boot_id);

  // Makes the grant, replacing an older one of its name, and removes those of the same pod that end
  // by it. On a refusal (kStorage) what was there before is there still.
  std::optional<Refusal> Write(const GrantPlan& plan);
  // Allocate names this grant for a container to come: an older one must not be found by it.
  // Returns whether there was one.
  Result<bool> Retire(const std::string& name);
  // The pod is gone: removes its grants and returns how many there were; 0 the second time.
  std::size_t Remove(const std::string& uid);
  // Removes, once the grace period has passed, grants of pods that are not in `live_uids`, which
  // must be complete, and whatever else lies there that no grant names. In bounded steps. Cuts
  // usage files that have grown back to their size.
  SweepResult Sweep(const std::set<std::string>& live_uids);

  std::optional<GrantRecord> Find(std::string_view name) const;
  // Does any grant lie there for this container?
  bool Filled(std::string_view uid, std::string_view container) const;
  // The directories of driver libraries, and the versions of the enforcement library, that grants
  // name.
  std::set<std::string> DriverDirectories() const;
  std::set<std::string> LibraryVersions() const;

 private:
  struct Kept {
    GrantRecord record;
    std::uint64_t serial = 0;  // of its writing
  };
  struct Retired {
    std::string uid;  // "" = not known
    SteadyTime since;
    std::string driver;  // what it names may be mounted still
    std::string library;
  };
  struct Orphan {
    SteadyTime since;
    std::uint64_t serial = 0;
    std::uint64_t sweep = 0;  // the last that saw it
  };

  // A path for something that is not in place, or in place no more; never the same twice.
  std::string Aside(const std::string& directory, const std::string& name) const;
  std::string CdiPath(const std::string& name) const;

  // Recover's parts.
  Status MakeDirectories();
  Status CheckBoot(Recovered& recovered);
  Status WriteBootId();
  void ReadGrant(const std::string& name, Recovered& recovered);
  void SetAside(const std::string& path, const std::string& name);
  void RemoveStrayCdiSpecs();
  void RecallRetired();

  void MakeAgain();
  Status Publish(const GrantPlan& plan, const std::string& built, const std::string& spec,
                 std::vector<std::string>& remains) REQUIRES(mutex_);
  // Takes a grant out of place; what is left of it is added to `remains`, to be removed later.
  int Detach(const std::string& name, std::vector<std::string>& remains) REQUIRES(mutex_);
  void RemoveRemains(const std::vector<std::string>& remains) const;

  // Sweep's parts. Each takes the lock for one thing at a time.
  void SweepGrants(const std::set<std::string>& live_uids, std::vector<std::string>& remains,
                   SweepResult& result) REQUIRES(sweep_mutex_);
  void SweepStrays(std::vector<std::string>& remains, SweepResult& result) REQUIRES(sweep_mutex_);
  void SweepRetired(const std::set<std::string>& live_uids, std::vector<std::string>& remains,
                    SweepResult& result);
  void CutUsage(SweepResult& result) REQUIRES(sweep_mutex_);
  // Of something that nobody names: whether its grace period has passed. `serial` is of the grant,
  // so that one written anew has its time anew.
  bool Due(const std::string& path, std::uint64_t serial) REQUIRES(sweep_mutex_);

  const StoreOptions options_;
  const StateLayout layout_;
  const FileSystem& files_;
  const Clock& clock_;

  std::string boot_id_;      // set by Recover
  const std::string nonce_;  // of this store, so that two agents at once do not meet
  mutable std::atomic<std::uint64_t> asides_{0};

  // One sweep at a time. Taken before mutex_.
  Mutex sweep_mutex_;
  std::map<std::string, Orphan> orphans_ GUARDED_BY(sweep_mutex_);  // by path
  std::uint64_t sweep_ GUARDED_BY(sweep_mutex_) = 0;

  mutable Mutex mutex_;
  std::map<std::string, Kept, std::less<>> grants_ GUARDED_BY(mutex_);  // by name
  std::uint64_t serial_ GUARDED_BY(mutex_) = 0;
  std::map<std::string, Retired> retired_ GUARDED_BY(mutex_);  // by path
};

}  // namespace aliquot::agent
