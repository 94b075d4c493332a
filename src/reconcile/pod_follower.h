// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/string_map.h"
#include "ledger/ledger.h"
#include "model/cluster.h"
#include "model/pod.h"
#include "program/work_queue.h"
#include "reconcile/pod_intake.h"

namespace aliquot::reconcile {

// Follows the pods of the cluster. What the label-scoped watch says is taken as it is, except that
// a pod is gone: it may only have lost our label. Unless it was being deleted or had finished, it
// keeps its cards until a read of the pod says that it is gone, and gets the label back if it is
// not. A pod seen without the label (by the slow full list) is read first as well, since that list
// may be old by now.
//
// Thread-safe. Reads and writes go by the work queue; a read that the watch overtook is dropped.
class PodFollower {
 public:
  PodFollower(const ledger::Ledger& ledger, model::ClusterWriter& writer, program::WorkQueue& queue,
              PodIntake& intake)
      : ledger_(ledger), writer_(writer), queue_(queue), intake_(intake) {}

  void Seen(const model::Pod& pod);
  void Gone(const model::Pod& last);
  // All pods of the watch's selection have been seen; `uids` are all there are.
  void Listed(const std::vector<std::string>& uids);

 private:
  // A pod that is to be read.
  struct Check {
    std::uint64_t serial = 0;  // of the request for it: a later word of the watch makes it void
    model::PodKey key;
    std::string node;
  };

  void StartCheck(const std::string& uid, const model::PodKey& key, const std::string& node,
                  std::chrono::nanoseconds delay) REQUIRES(mutex_);
  program::WorkQueue::Outcome RunCheck(const std::string& uid, std::uint64_t serial);
  program::WorkQueue::Outcome PutLabelBack(const std::string& uid, std::uint64_t serial,
                                           const model::Pod& pod);
  void TakeIn(const model::Pod& pod) REQUIRES(mutex_);
  void LetGo(const std::string& uid, std::string_view node) REQUIRES(mutex_);
  // The check, or nullptr when it is void.
  const Check* FindCheck(const std::string& uid, std::uint64_t serial) const REQUIRES(mutex_);

  const ledger::Ledger& ledger_;
  model::ClusterWriter& writer_;
  program::WorkQueue& queue_;

  // Held while one state of a pod is taken in, never over a call to the cluster.
  Mutex mutex_;
  PodIntake& intake_ GUARDED_BY(mutex_);
  StringMap<Check> checks_ GUARDED_BY(mutex_);
  // Pods known to us of which the ledger holds nothing bound: a list without them must be noticed
  // here.
  StringMap<model::PodKey> holding_nothing_ GUARDED_BY(mutex_);
  std::uint64_t serial_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::reconcile
