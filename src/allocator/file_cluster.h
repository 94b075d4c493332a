// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "allocator/cluster_file.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "model/cluster.h"
#include "observability/log.h"

namespace aliquot::allocator {

// A cluster file brought to life: it tells an observer what an API server's lists and watches
// would, and takes our writes as an API server would, in memory; the file is never written.
//
//   Bind       a pod of the file: 409 (kConflict) when it has a node, else bound and seen by the
//   observer.
//              A pod that is not in the file and so exists only in the requests of whoever plays
//              kube-scheduler: accepted once, then a conflict. The observer is not told of it, as
//              nobody here knows its spec.
//   Events     go to the log; conditions are accepted and kept nowhere.
//
// Thread-safe. The observer is called from one thread of its own, never under a lock, and must
// outlive Stop.
class FileCluster final : public model::ClusterWriter {
 public:
  FileCluster(FileClusterState state, observability::Log& log);
  ~FileCluster() override;
  FileCluster(const FileCluster&) = delete;
  FileCluster& operator=(const FileCluster&) = delete;

  void Start(model::ClusterObserver& observer);
  // Safe to call twice, and without Start.
  void Stop();

  model::WriteReply Bind(const model::BindOrder& order, SteadyTime deadline) override;
  model::WriteReply PatchPod(const model::PodKey& key, std::string_view uid,
                             const std::map<std::string, std::string>& annotations,
                             const std::map<std::string, std::string>& labels) override;
  model::WriteReply SetPodCondition(const model::PodKey& key, std::string_view uid,
                                    const model::PodCondition& condition) override;
  model::WriteReply PostEvent(const model::PodEvent& event) override;
  model::PodLookup GetPod(const model::PodKey& key) override;

 private:
  void Run(model::ClusterObserver& observer);
  void DeliverLists(model::ClusterObserver& observer);
  model::Pod CopyOf(const std::string& key) EXCLUDES(mutex_);  // pre: it is there; pods never go
  // The pod of that key and UID, or nullptr.
  model::Pod* Find(const model::PodKey& key, std::string_view uid) REQUIRES(mutex_);
  model::WriteReply BindKnown(model::Pod& pod, const model::BindOrder& order) REQUIRES(mutex_);
  void Changed(model::Pod& pod) REQUIRES(mutex_);

  observability::Log& log_;
  std::thread thread_;

  Mutex mutex_;
  CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<model::Node> nodes_ GUARDED_BY(mutex_);  // until they are delivered
  StringMap<model::Pod> pods_ GUARDED_BY(mutex_);      // by "namespace/name"
  // UID -> node of bound pods that are not in the file.
  StringMap<std::string> strangers_ GUARDED_BY(mutex_);
  std::deque<model::Pod> events_ GUARDED_BY(mutex_);  // changed pods that the observer has not seen
  std::int64_t version_ GUARDED_BY(mutex_) = 1;
};

}  // namespace aliquot::allocator
