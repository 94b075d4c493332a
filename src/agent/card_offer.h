// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "agent/assessment.h"
#include "agent/delivery.h"
#include "agent/gpu/backend_supervisor.h"
#include "agent/identity/checkpoint_reader.h"
#include "agent/inventory/publisher.h"
#include "agent/machine_watch.h"
#include "agent/plugin/plugin_host.h"
#include "agent/start_desk.h"
#include "agent/usage/agent_metrics.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "observability/log.h"

namespace aliquot::agent {

struct CardOfferOptions {
  // How long a start waits to learn from the node object whether somebody else owns the cards;
  // without an API server the cards are then taken for ours, as they were before the agent was
  // restarted.
  std::chrono::milliseconds wait_for_node{5000};
  std::chrono::milliseconds socket_looks{10000};  // between looks for gpu-manager's socket
  // So long may the node's allocatable be 0 although devices are healthy. The kubelet pushes its
  // node's status every 10 s.
  std::chrono::milliseconds stuck_for{45000};
};

// What this node offers just now, told to the node object, to the kubelet and to the starts of
// containers whenever it changes. Thread-safe; a refresh waits for its turn and may look at
// files and sockets.
class CardOffer {
 public:
  struct Parts {
    const Configuration& configuration;
    const topology::MeasuredGbps* measured;  // may be nullptr
    Delivery& delivery;
    BackendSupervisor& backend;
    InventoryPublisher& publisher;
    CheckpointSource& core_checkpoint;
    CheckpointSource& memory_checkpoint;
    AgentMetrics& metrics;
    observability::Log& log;
    const Clock& clock;
  };

  // All parts must outlive it.
  explicit CardOffer(const Parts& parts, CardOfferOptions options = {});

  // Whom the devices are told to, once it is there; must outlive the offer.
  void SetPlugin(PluginHost& plugin) EXCLUDES(refresh_mutex_);
  // The cards as they are from now on; refreshes.
  void SetMachine(std::shared_ptr<const MachineView> machine) EXCLUDES(refresh_mutex_);
  // Assesses the node anew and tells whoever is concerned by a difference.
  void Refresh() EXCLUDES(refresh_mutex_);
  // The node is about to go: nothing new is to be placed here.
  void Leave() EXCLUDES(refresh_mutex_);

  DeskFacts Facts() const EXCLUDES(mutex_);

 private:
  void RefreshLocked() REQUIRES(refresh_mutex_);
  OwnerVerdict Owner(const NodeView* node) REQUIRES(refresh_mutex_);
  // The agent before this one said that it leaves, and no kubelet listens to this one yet: it would
  // reject a pod that is bound now, for good.
  bool NotBackYet(const NodeView* node) REQUIRES(refresh_mutex_);
  bool KnowsEnough(const NodeView* node) REQUIRES(refresh_mutex_);
  void Tell(const Assessment& now) REQUIRES(refresh_mutex_);
  void TellPlugin(const Assessment& now) REQUIRES(refresh_mutex_);
  void TellLog(const Assessment& now) REQUIRES(refresh_mutex_);
  void WatchAllocatable(const NodeView* node) REQUIRES(refresh_mutex_);

  const Parts parts_;
  const CardOfferOptions options_;
  const SteadyTime made_at_;
  Mutex refresh_mutex_;
  std::shared_ptr<const MachineView> machine_ GUARDED_BY(refresh_mutex_) =
      std::make_shared<const MachineView>();
  PluginHost* plugin_ GUARDED_BY(refresh_mutex_) = nullptr;
  bool leaving_ GUARDED_BY(refresh_mutex_) = false;
  bool back_ GUARDED_BY(refresh_mutex_) = false;  // NotBackYet is over for good
  bool told_ GUARDED_BY(refresh_mutex_) = false;
  Assessment last_ GUARDED_BY(refresh_mutex_);
  bool plugin_told_ GUARDED_BY(refresh_mutex_) = false;
  SteadyTime next_socket_look_ GUARDED_BY(refresh_mutex_);
  std::string gpu_manager_ GUARDED_BY(refresh_mutex_);
  SteadyTime stuck_since_ GUARDED_BY(refresh_mutex_);
  bool stuck_ GUARDED_BY(refresh_mutex_) = false;

  mutable Mutex mutex_;
  DeskFacts facts_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
