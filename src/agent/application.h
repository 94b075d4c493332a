// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "agent/api_observers.h"
#include "agent/application_options.h"
#include "agent/authenticated_monitor.h"
#include "agent/card_offer.h"
#include "agent/configuration.h"
#include "agent/delivery.h"
#include "agent/enforcement_runner.h"
#include "agent/event_poster.h"
#include "agent/gpu/backend_supervisor.h"
#include "agent/grant/driver_limits.h"
#include "agent/grant/file_system.h"
#include "agent/grant/grant_store.h"
#include "agent/grant/live_grants.h"
#include "agent/grant_keeper.h"
#include "agent/identity/checkpoint_reader.h"
#include "agent/identity/node_pod_watch.h"
#include "agent/identity/node_pods.h"
#include "agent/identity/resolver.h"
#include "agent/inventory/node_watch.h"
#include "agent/inventory/publisher.h"
#include "agent/machine_watch.h"
#include "agent/plugin/plugin_host.h"
#include "agent/plugin/pod_resources_client.h"
#include "agent/start_desk.h"
#include "agent/usage/agent_metrics.h"
#include "agent/usage/node_figures.h"
#include "agent/usage/share_counters.h"
#include "agent/verify_desk.h"
#include "base/clock.h"
#include "http/observer.h"
#include "http/server.h"
#include "kubeclient/cluster_writer.h"
#include "kubeclient/curl_transport.h"
#include "observability/log.h"
#include "program/problems.h"
#include "program/ticker.h"
#include "program/work_queue.h"
#include "signing/verifier.h"

namespace aliquot::agent {

// The whole running agent. main.cc and the integration tests drive the same object. Start and Drain
// once each, from one thread.
class Application {
 public:
  // Pre: the configuration was checked. The log must outlive it.
  Application(Configuration configuration, observability::Log& log,
              ApplicationOptions options = {});
  // Ends at once; call Drain first for a clean end.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // Recalls what an agent before this one has granted, and begins to serve. Neither an API server
  // nor a kubelet nor a driver needs to be there. False and at least one problem when it can't run.
  bool Start(program::Problems& problems);
  // "host:port" of the monitor as really bound.
  const std::string& monitor_address() const { return monitor_address_; }
  // The same of the authenticated listener; "" when it is off.
  const std::string& authenticated_address() const { return authenticated_address_; }

  // Marks the inventory as leaving, waits for that write within the configured time, and ends.
  // Containers run on. DEADLINE_EXCEEDED when the node could not be told.
  Status Drain();

 private:
  bool MakeConnection(program::Problems& problems);
  bool MakeGrants(program::Problems& problems);
  void MakeDesk();
  bool StartMonitor(program::Problems& problems);
  bool StartAuthenticated(MonitorSources sources, program::Problems& problems);
  bool WriteAddresses(program::Problems& problems);
  void StartWatches();
  void Tick();
  void Stop();
  std::vector<std::string> NotReady() const;
  NodeFigures Reading();
  void MakeEnforcement();
  // Container IDs of the node's GPU containers, as their pods' statuses tell.
  Watchdog::Containers ContainersById() const;
  void TellShare(const ShareReport& report);

  const Configuration configuration_;
  const ApplicationOptions options_;
  observability::Log& log_;
  RealClock clock_;
  AgentMetrics metrics_;
  http::ServerObserver monitor_observer_;
  std::string monitor_address_;
  std::string authenticated_address_;
  std::optional<topology::MeasuredGbps> measured_;
  const FileSystem real_files_;
  const FileSystem& files_;
  const StateLayout layout_;
  PublishedLibrary library_;
  LiveGrants live_;
  ShareCounters share_counters_;
  const bool cgroup_v2_ = HasCgroupV2();
  std::atomic<bool> draining_{false};
  bool stopped_ = false;
  SteadyTime next_sweep_;     // the ticker's
  SteadyTime next_key_look_;  // the ticker's

  // In the order in which they are needed; destroyed the other way round.
  std::unique_ptr<kubeclient::CurlTransport> transport_;
  WatchObserver watch_observer_;
  NodeWriteMetrics write_metrics_;
  std::unique_ptr<kubeclient::ClusterWriter> writer_;
  program::WorkQueue queue_;
  std::unique_ptr<EventPoster> events_;
  std::unique_ptr<signing::Verifier> verifier_;
  std::unique_ptr<BackendSupervisor> backend_;
  std::unique_ptr<GrantStore> store_;
  std::unique_ptr<GrantKeeper> keeper_;
  std::unique_ptr<NodePods> pods_;
  std::unique_ptr<NodePodWatch> pod_watch_;
  std::unique_ptr<InventoryPublisher> publisher_;
  std::unique_ptr<OwnNodeWatch> node_watch_;
  std::unique_ptr<CheckpointReader> core_checkpoint_;
  std::unique_ptr<CheckpointReader> memory_checkpoint_;
  std::unique_ptr<PodResourcesClient> pod_resources_;
  std::unique_ptr<Resolver> resolver_;
  std::unique_ptr<Delivery> delivery_;
  std::unique_ptr<CardOffer> offer_;
  std::unique_ptr<StartDesk> desk_;
  std::unique_ptr<PluginHost> plugin_;
  std::unique_ptr<MachineWatch> machine_;
  std::unique_ptr<EnforcementRunner> enforcement_;
  std::unique_ptr<VerifyDesk> verify_;
  std::unique_ptr<http::Server> monitor_;
  std::unique_ptr<AuthenticatedMonitor> authenticated_;
  std::unique_ptr<program::Ticker> ticker_;
};

}  // namespace aliquot::agent
