// SPDX-License-Identifier: Apache-2.0
#pragma once

// Learns the expected mix of pods from those that are admitted. Thread-safe; no call takes longer
// than a look-up, but Publish builds the tables of an outlook (milliseconds).

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "base/mutex.h"
#include "model/demand.h"
#include "scoring/outlook.h"

namespace aliquot::scoring {

struct MixOptions {
  // A pod counts half as much once so many with GPUs came after it.
  std::int64_t half_life_pods = 2000;
  // Different classes that are kept; past it the rarest half goes.
  std::size_t max_classes = 1024;
  // Pods of which the UID is remembered, so that one that is asked for again, or seen again after a
  // lost watch, counts once.
  std::size_t remembered_pods = 100'000;
  // An outlook is due after so many pods with GPUs, then whenever their number has doubled, but no
  // later than `most_pods_between` after the last.
  std::int64_t first_outlook_pods = 32;
  std::int64_t most_pods_between = 1000;
  // What is assumed before any pod was seen counts like this many pods, and half as much after each
  // so many.
  std::int64_t assumed_pods = 8;
  std::int64_t assumed_half_life_pods = 200;
};

// What a pod asks for as one class. Several containers count as one card where their shares fit on
// one together.
PodClass ClassOf(const model::PodDemand& demand);

class MixLearner {
 public:
  explicit MixLearner(const MixOptions& options = MixOptions());

  // Was a pod of that UID learned, as far as is remembered?
  bool Knows(std::string_view uid) const EXCLUDES(mutex_);
  // An admitted pod; each UID counts once.
  void Learn(std::string_view uid, const model::PodDemand& demand) EXCLUDES(mutex_);
  // A pod of that class, which the caller counts once. Pods without GPU make no outlook due.
  void Learn(const PodClass& pods) EXCLUDES(mutex_);

  // Is there something to say that the last outlook did not?
  bool Due() const EXCLUDES(mutex_);
  // The mix as it is now, with the next epoch.
  std::shared_ptr<const Outlook> Publish(const ClusterFigures& cluster) EXCLUDES(mutex_);

 private:
  struct Key {
    std::int64_t cpu_milli = 0;
    int cards = 0;
    int core = 0;
    std::vector<std::string> models;

    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.cards, a.core, a.cpu_milli, a.models) <
             std::tie(b.cards, b.core, b.cpu_milli, b.models);
    }
  };
  struct Learned {
    std::int64_t weight = 0;
    std::int64_t memory_mib = 0;  // of the pod seen last
  };

  bool RememberUid(std::string_view uid) REQUIRES(mutex_);
  void Count(const PodClass& pods) REQUIRES(mutex_);
  void MakeRoom() REQUIRES(mutex_);

  const MixOptions options_;

  mutable Mutex mutex_;
  std::map<Key, Learned> classes_ GUARDED_BY(mutex_);
  // What the next pod adds: grows with each, in place of all others losing.
  std::int64_t increment_ GUARDED_BY(mutex_);
  std::int64_t seen_ GUARDED_BY(mutex_) = 0;
  std::int64_t next_outlook_ GUARDED_BY(mutex_) = 0;
  std::uint64_t epoch_ GUARDED_BY(mutex_) = 0;
  absl::flat_hash_set<std::uint64_t> known_uids_ GUARDED_BY(mutex_);  // hashes
  std::deque<std::uint64_t> uid_ages_ GUARDED_BY(mutex_);             // the oldest first
};

}  // namespace aliquot::scoring
