// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "agent/inventory/node_patch.h"
#include "agent/inventory/node_watch.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "kubeclient/backoff.h"
#include "kubeclient/cluster_writer.h"
#include "kubeclient/transport.h"
#include "observability/log.h"

namespace aliquot::agent {

struct PublisherOptions {
  std::string node_name;
  std::chrono::milliseconds call_timeout{5000};
  // How long the watch may take to show a write before the node is read.
  std::chrono::milliseconds settle{10000};
  kubeclient::BackoffOptions backoff{std::chrono::milliseconds(1000),
                                     std::chrono::milliseconds(60000),
                                     std::chrono::milliseconds(300000)};
};

// Makes our Node object say what is wished for: writes only where the object, as the watch shows
// it, says something else, and one write at a time. What a write did is never guessed: after each
// the watch tells, or, when it is silent for `settle`, a read. Failures are tried again with
// back-off and logged.
//
// Thread-safe, but Tick is called from one thread; it alone uses the network, under no lock.
class InventoryPublisher final : public NodeListener {
 public:
  // The observer may be nullptr. All must outlive it.
  InventoryPublisher(PublisherOptions options, kubeclient::Transport& transport, const Clock& clock,
                     kubeclient::UniformSource uniform, kubeclient::ApiCallObserver* observer,
                     observability::Log& log);

  void NodeSeen(const NodeView& node) override EXCLUDES(mutex_);
  void NodeGone() override EXCLUDES(mutex_);

  // From now on the node is to say this. Nothing is written before the first wish.
  void SetWish(NodeWish wish) EXCLUDES(mutex_);
  // At most one request, when one is due; call it about once a second.
  void Tick() EXCLUDES(mutex_);

  // There was a SetWish: without any there is nothing to say.
  bool wished() const EXCLUDES(mutex_);
  // The node says what is wished for.
  bool published() const EXCLUDES(mutex_);
  // What the node said last; nullptr = no such node is known.
  std::shared_ptr<const NodeView> node() const EXCLUDES(mutex_);

 private:
  // A write that the node object does not show yet.
  struct Sent {
    NodeWish wish;
    bool taints = false;
    model::WriteOutcome outcome = model::WriteOutcome::kUnknown;
    std::string uid;      // of the node that it was for
    std::string version;  // that it was made from
    SteadyTime look_at;   // read the node then
  };
  // What Tick is to do.
  struct Work {
    enum class Kind { kNothing, kLook, kWrite } kind = Kind::kNothing;
    Sent sent;         // kWrite: outcome and look_at still open
    std::string body;  // kWrite
  };

  Work NextWork(SteadyTime now) EXCLUDES(mutex_);
  void Look() EXCLUDES(mutex_);
  void Write(Work work) EXCLUDES(mutex_);
  kubeclient::CallResult Call(const kubeclient::ApiRequest& request);
  void SeenLocked(std::shared_ptr<const NodeView> node) REQUIRES(mutex_);
  static bool Settled(const Sent& sent, const NodeView* node);

  const PublisherOptions options_;
  kubeclient::Transport& transport_;
  const Clock& clock_;
  kubeclient::ApiCallObserver* const observer_;
  observability::Log& log_;
  kubeclient::Backoff backoff_;  // only Tick's thread

  mutable Mutex mutex_;
  std::shared_ptr<const NodeView> node_ GUARDED_BY(mutex_);
  std::optional<NodeWish> wish_ GUARDED_BY(mutex_);
  std::optional<Sent> sent_ GUARDED_BY(mutex_);
  SteadyTime not_before_ GUARDED_BY(mutex_);
  // Something may have to be written: idle ticks compare nothing.
  bool changed_ GUARDED_BY(mutex_) = false;
};

}  // namespace aliquot::agent
