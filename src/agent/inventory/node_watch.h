// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/inventory/node_view.h"
#include "base/clock.h"
#include "kubeclient/backoff.h"
#include "kubeclient/list_watch.h"
#include "kubeclient/transport.h"

namespace aliquot::agent {

// Told of our own Node by the watch's thread.
class NodeListener {
 public:
  virtual ~NodeListener() = default;
  virtual void NodeSeen(const NodeView& node) = 0;
  // There is no such object (any more).
  virtual void NodeGone() = 0;
};

// Raw JSON of a list and a watch of one node, to a listener. Used by one thread.
class NodeViewSink final : public kubeclient::ListWatchSink {
 public:
  // Objects of another name are passed over: a proxy may ignore the selector.
  NodeViewSink(std::string node_name, NodeListener& listener)
      : node_name_(std::move(node_name)), listener_(listener) {}

  void ListStarted() override { listed_ = false; }
  Result<Page> PageReceived(std::string_view json) override;
  void ListFinished() override;
  Result<Event> EventReceived(std::string_view json) override;

 private:
  const std::string node_name_;
  NodeListener& listener_;
  bool listed_ = false;
};

// Keeps up with our own Node object: a list and watch with fieldSelector metadata.name, one thread.
class OwnNodeWatch {
 public:
  // `options`: time-outs and back-off; resource, verbs and selector are set here. All references
  // must outlive it.
  OwnNodeWatch(const std::string& node_name, kubeclient::ListWatchOptions options,
               kubeclient::Transport& transport, NodeListener& listener,
               kubeclient::ListWatchObserver& observer, const Clock& clock,
               kubeclient::UniformSource uniform);

  void Start() { watch_.Start(); }
  void Stop() { watch_.Stop(); }
  // The first list is complete: whether the node exists is known.
  bool synced() const { return watch_.synced(); }
  SteadyTime last_heard() const { return watch_.last_heard(); }

 private:
  NodeViewSink sink_;
  kubeclient::ListWatch watch_;
};

}  // namespace aliquot::agent
