// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/identity/node_pods.h"
#include "base/clock.h"
#include "kubeclient/list_watch.h"
#include "kubeclient/transport.h"
#include "model/names.h"

namespace aliquot::agent {

struct NodePodWatchOptions {
  std::string node;  // our node's name
  model::ResourceNames names;
  std::uint64_t seed = 0;  // of the jitter; 0 = from the operating system
  // Time-outs and limits; resource, verbs and selectors are set here.
  kubeclient::ListWatchOptions watch;
};

// From raw JSON to NodePods. Used by the ListWatch's thread.
class NodePodSink final : public kubeclient::ListWatchSink {
 public:
  NodePodSink(std::string node, model::ResourceNames names, NodePods& pods);

  void ListStarted() override { uids_.clear(); }
  Result<Page> PageReceived(std::string_view json) override;
  void ListFinished() override;
  Result<Event> EventReceived(std::string_view json) override;

 private:
  void Take(NodePod pod);

  const std::string node_;
  const model::ResourceNames names_;
  NodePods& pods_;
  std::vector<std::string> uids_;
};

// Keeps NodePods up to date by a list and a watch with spec.nodeName=<node>: all labels, so that a
// pod that has lost ours is seen too. One thread of its own.
class NodePodWatch {
 public:
  // All references must outlive it.
  NodePodWatch(NodePodWatchOptions options, kubeclient::Transport& transport, const Clock& clock,
               NodePods& pods, kubeclient::ListWatchObserver& observer);

  void Start() { list_watch_.Start(); }
  // Safe to call twice.
  void Stop() { list_watch_.Stop(); }

  bool synced() const { return list_watch_.synced(); }
  SteadyTime last_heard() const { return list_watch_.last_heard(); }

 private:
  NodePodSink sink_;
  kubeclient::ListWatch list_watch_;
};

}  // namespace aliquot::agent
