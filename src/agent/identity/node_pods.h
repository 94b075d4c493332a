// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/identity/node_pod.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::agent {

// The pods of this node that ask for our resources, as the API server last told. A value: it never
// changes once taken.
struct PodsSnapshot {
  using Pods = std::vector<std::shared_ptr<const NodePod>>;  // by UID

  std::uint64_t revision = 0;  // another one when anything below but `heard` is
  bool synced = false;         // a full list has been told
  SteadyTime heard;            // when the API server last said anything
  std::shared_ptr<const Pods> pods = std::make_shared<const Pods>();

  // nullptr when there is none of that UID.
  const NodePod* Find(std::string_view uid) const;
};

// Where snapshots come from. Thread-safe.
class PodView {
 public:
  virtual ~PodView() = default;

  virtual PodsSnapshot Snapshot() const = 0;
  // Returns once the snapshot's revision is no longer `revision`, or at the deadline.
  virtual void WaitForNews(std::uint64_t revision, SteadyTime deadline) = 0;
};

// Told of what ends. Called from the thread that tells NodePods, in the order of what happened and
// without a lock; each thing once for each UID that NodePods has shown.
class NodePodsObserver {
 public:
  virtual ~NodePodsObserver() = default;

  // Deleted, missing from a full list, or replaced by another UID under its name.
  virtual void PodGone(std::string_view uid) = 0;
  // Succeeded or Failed: it starts no container any more.
  virtual void PodFinished(std::string_view uid) = 0;
  // A full list: these are the UIDs of all pods of this node, whether they ask for our resources or
  // not. Whoever knows a pod from elsewhere learns here that it is gone.
  virtual void PodsListed(const std::vector<std::string>& uids) = 0;
};

// Keeps them. What it is told comes from one thread (node_pod_watch.h); anyone may look. Pods that
// are being deleted stay until they are gone. A snapshot costs no copy of a pod.
class NodePods final : public PodView {
 public:
  // Both must outlive it.
  NodePods(NodePodsObserver& observer, const Clock& clock);

  // The last state of a pod of this node; one that asks for none of our resources is not kept.
  void Seen(NodePod pod) EXCLUDES(mutex_);
  void Gone(std::string_view uid) EXCLUDES(mutex_);
  // All that Seen was told since the list began, and nothing else, is there.
  void Listed(const std::vector<std::string>& uids) EXCLUDES(mutex_);
  // The API server said something, if only that nothing happened.
  void Heard() EXCLUDES(mutex_);

  PodsSnapshot Snapshot() const override EXCLUDES(mutex_);
  // By the real clock, as all waits for other threads.
  void WaitForNews(std::uint64_t revision, SteadyTime deadline) override EXCLUDES(mutex_);

 private:
  void Publish(PodsSnapshot::Pods pods) REQUIRES(mutex_);

  NodePodsObserver& observer_;
  const Clock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  PodsSnapshot now_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
