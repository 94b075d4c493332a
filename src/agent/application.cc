// SPDX-License-Identifier: Apache-2.0
#include "agent/application.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "agent/backend_choice.h"
#include "agent/grant_settings.h"
#include "agent/monitor_routes.h"
#include "agent/pod_news.h"
#include "agent/readiness.h"
#include "agent/usage/figures_collector.h"
#include "kubeclient/config.h"
#include "kubeclient/kubeconfig.h"
#include "observability/build_info.h"
#include "program/addresses_file.h"

namespace aliquot::agent {
namespace {

std::string FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

MachineWatchOptions WatchOptionsOf(const Configuration& c, MachineWatchOptions options) {
  options.health_file = StateLayout(c.grant.state_directory).Health();
  options.health.quiet = c.gpu.healthy_after;
  options.health.ignored.assign(c.gpu.ignored_xids.begin(), c.gpu.ignored_xids.end());
  return options;
}

}  // namespace

Application::Application(Configuration configuration, observability::Log& log,
                         ApplicationOptions options)
    : configuration_(std::move(configuration)),
      options_(std::move(options)),
      log_(log),
      files_(options_.files == nullptr ? real_files_ : *options_.files),
      layout_(configuration_.grant.state_directory),
      watch_observer_(metrics_, log),
      write_metrics_(metrics_),
      queue_(clock_, program::WorkQueueOptions()) {}

Application::~Application() { Stop(); }

bool Application::MakeConnection(program::Problems& problems) {
  const bool in_cluster = configuration_.kubeconfig.empty();
  const auto config =
      in_cluster ? kubeclient::LoadInCluster(kubeclient::InClusterEnvironment::FromProcess())
                 : kubeclient::LoadKubeconfig(configuration_.kubeconfig);
  if (!config.ok()) {
    problems.Add(in_cluster ? "in-cluster configuration" : "kubeconfig", config.status().message());
    return false;
  }
  auto transport = kubeclient::CurlTransport::Create(*config, clock_);
  if (!transport.ok()) {
    problems.Add("API server credentials", transport.status().message());
    return false;
  }
  transport_ = *std::move(transport);
  kubeclient::ClusterWriterOptions options;
  options.names = configuration_.resource_names;
  options.reporting_controller = "aliquot.io/agent";
  options.reporting_instance = configuration_.node_name;
  writer_ = std::make_unique<kubeclient::ClusterWriter>(options, *transport_, clock_, nullptr);
  events_ = std::make_unique<EventPoster>(queue_, *writer_, metrics_, log_, clock_);
  return true;
}

bool Application::MakeGrants(program::Problems& problems) {
  if (!configuration_.signing_public_keys.empty()) {
    verifier_ = std::make_unique<signing::Verifier>(
        std::vector<std::string>{configuration_.signing_public_keys});
    const auto keys = verifier_->Refresh();
    if (!keys.ok() && keys.status().code() == StatusCode::kNotFound) {
      // The allocator publishes its key once it runs; until then no record is believed.
      log_.Warn("agent", "no signing key is published yet; no container is started until one is",
                {{"problem", keys.status().message()}});
    } else if (!keys.ok()) {
      problems.Add("signing.publicKeys", keys.status().message());
      return false;
    }
  }
  if (!configuration_.cards.measured_links.empty()) {
    std::ifstream file(configuration_.cards.measured_links);
    std::ostringstream text;
    text << file.rdbuf();
    auto measured = topology::ReadMeasuredGbps(text.str(), configuration_.cards.measured_links);
    if (!file || !measured.ok()) {
      problems.Add("cards.measuredLinks",
                   file ? measured.status().message()
                        : "\"" + configuration_.cards.measured_links + "\" can't be read");
      return false;
    }
    measured_ = *std::move(measured);
  }
  StoreOptions options;
  options.edits = EditOptionsOf(configuration_);
  options.cdi_directory = configuration_.grant.cdi_directory;
  options.grace = configuration_.grant.orphan_grace;
  store_ = std::make_unique<GrantStore>(options, files_, clock_);
  keeper_ = std::make_unique<GrantKeeper>(*store_, live_, metrics_, log_);
  const Status recalled = keeper_->Recall(FirstLine("/proc/sys/kernel/random/boot_id"));
  if (!recalled.ok()) {
    problems.Add("grant.stateDirectory", recalled.message());
    return false;
  }
  auto library = PublishLibrary(files_, StateLayout(configuration_.grant.state_directory),
                                configuration_.library_path);
  if (!library.ok()) {
    problems.Add("library.path", library.status().message());
    return false;
  }
  library_ = *std::move(library);
  // Running containers keep what they have mounted; of the others nobody asks for an old one.
  std::set<std::string> kept = store_->LibraryVersions();
  kept.insert(library_.version);
  RemoveAllBut(files_, StateLayout(configuration_.grant.state_directory).Library(), kept);
  return true;
}

void Application::MakeDesk() {
  const Configuration& c = configuration_;
  pods_ = std::make_unique<NodePods>(*keeper_, clock_);
  const std::string checkpoint = c.kubelet.plugin_directory + "/kubelet_internal_checkpoint";
  core_checkpoint_ = std::make_unique<CheckpointReader>(checkpoint, c.resource_names.core);
  memory_checkpoint_ = std::make_unique<CheckpointReader>(checkpoint, c.resource_names.memory);
  pod_resources_ =
      std::make_unique<PodResourcesClient>(c.kubelet.pod_resources_socket, c.resource_names.core);
  ResolverOptions resolver = options_.resolver;
  resolver.node = c.node_name;
  resolver.names = c.resource_names;
  resolver_ = std::make_unique<Resolver>(resolver, *core_checkpoint_, *pods_, *pod_resources_,
                                         *keeper_, clock_);
  PublisherOptions publisher = options_.publisher;
  publisher.node_name = c.node_name;
  publisher_ = std::make_unique<InventoryPublisher>(
      publisher, *transport_, clock_, kubeclient::RandomUniform(), &write_metrics_, log_);
  delivery_ = std::make_unique<Delivery>(c, files_, *store_, clock_);
  offer_ = std::make_unique<CardOffer>(
      CardOffer::Parts{c, measured_ ? &*measured_ : nullptr, *delivery_, *backend_, *publisher_,
                       *core_checkpoint_, *memory_checkpoint_, metrics_, log_, clock_},
      options_.offer);
  StartDesk::Verify verify;
  if (verifier_ != nullptr) {
    verify = [this](std::string_view text, std::string_view signature) {
      return verifier_->Verify(text, signature);
    };
  }
  desk_ = std::make_unique<StartDesk>(
      c.node_name, EditOptionsOf(c),
      StartDesk::Parts{*resolver_, live_, *store_, *events_, metrics_, log_, clock_},
      [this] {
        DeskFacts facts = offer_->Facts();
        facts.library = library_;
        facts.cgroup_v2 = cgroup_v2_;
        facts.allow_none = configuration_.enforcement.allow_none;
        return facts;
      },
      std::move(verify));
  PluginHostOptions host = options_.plugin;
  host.directory = c.kubelet.plugin_directory;
  host.core_resource = c.resource_names.core;
  host.memory_resource = c.resource_names.memory;
  plugin_ = std::make_unique<PluginHost>(host, *desk_, log_);
  machine_ = std::make_unique<MachineWatch>(
      WatchOptionsOf(c, options_.machine), *backend_, clock_, log_,
      [this](std::shared_ptr<const MachineView> view) {
        keeper_->CardsSeen(view->machine);
        offer_->SetMachine(std::move(view));
      },
      [this](const HealthNews& news) { TellPods(news, live_, *events_, metrics_, log_); });
}

void Application::MakeEnforcement() {
  EnforcementOptions options = options_.enforcement;
  options.watchdog.kill = configuration_.enforcement.on_overshoot == "kill";
  options.watchdog.context_mib = configuration_.enforcement.context_mib;
  enforcement_ = std::make_unique<EnforcementRunner>(
      options, EnforcementRunner::Parts{live_, *backend_, layout_, share_counters_, clock_, log_,
                                        [this] { return ContainersById(); },
                                        [this](const ShareReport& report) { TellShare(report); }});
}

bool Application::StartMonitor(program::Problems& problems) {
  MonitorSources sources;
  sources.node = configuration_.node_name;
  sources.not_ready = [this] { return NotReady(); };
  sources.reading = [this] { return Reading(); };
  sources.grants = [this] { return live_.Snapshot(); };
  sources.metrics = &metrics_;
  sources.gpu_manager_pages = configuration_.gpu_manager_pages;
  http::ServerOptions options;
  options.listen_address = configuration_.listen_monitor;
  options.worker_threads = 2;
  options.max_connections = 64;
  options.max_body_bytes = 1 << 10;
  options.max_buffered_bytes = 1 << 16;
  monitor_ = std::make_unique<http::Server>(options, MonitorRoutes(sources), monitor_observer_);
  auto bound = monitor_->Start();
  if (!bound.ok()) {
    problems.Add("listen.monitor", bound.status().message());
    return false;
  }
  monitor_address_ = *std::move(bound);
  return (configuration_.listen_authenticated.empty() ||
          StartAuthenticated(std::move(sources), problems)) &&
         WriteAddresses(problems);
}

bool Application::StartAuthenticated(MonitorSources sources, program::Problems& problems) {
  verify_ = std::make_unique<VerifyDesk>(VerifyDesk::Parts{
      configuration_.node_name, live_, *pods_, *backend_,
      [this] { return *offer_->Facts().machine; }, options_.enforcement.proc, layout_,
      static_cast<std::uint64_t>(configuration_.enforcement.context_mib) << 20});
  sources.verify = [this](const http::Request& request) { return verify_->Answer(request); };
  authenticated_ = std::make_unique<AuthenticatedMonitor>(
      configuration_, sources, AuthenticatedMonitor::Parts{*transport_, clock_, metrics_, log_});
  auto bound = authenticated_->Start();
  if (!bound.ok()) {
    problems.Add("listen.authenticated", bound.status().message());
    return false;
  }
  authenticated_address_ = *std::move(bound);
  return true;
}

bool Application::WriteAddresses(program::Problems& problems) {
  if (configuration_.addresses_file.empty()) {
    return true;
  }
  std::vector<std::pair<std::string, std::string>> addresses{{"monitor", monitor_address_}};
  if (!authenticated_address_.empty()) {
    addresses.emplace_back("authenticated", authenticated_address_);
  }
  const Status written = program::WriteAddressesFile(configuration_.addresses_file, addresses);
  if (!written.ok()) {
    problems.Add("addressesFile", written.message());
  }
  return written.ok();
}

void Application::StartWatches() {
  NodePodWatchOptions options;
  options.node = configuration_.node_name;
  options.names = configuration_.resource_names;
  options.watch = options_.watch;
  pod_watch_ =
      std::make_unique<NodePodWatch>(options, *transport_, clock_, *pods_, watch_observer_);
  node_watch_ = std::make_unique<OwnNodeWatch>(configuration_.node_name, options_.watch,
                                               *transport_, *publisher_, watch_observer_, clock_,
                                               kubeclient::RandomUniform());
  queue_.Start();
  pod_watch_->Start();
  node_watch_->Start();
}

bool Application::Start(program::Problems& problems) {
  backend_ = ChooseBackend(configuration_, clock_, log_, problems);
  if (backend_ == nullptr || !MakeConnection(problems) || !MakeGrants(problems)) {
    return false;
  }
  MakeDesk();
  MakeEnforcement();
  if (!StartMonitor(problems)) {
    return false;
  }
  metrics_.SetDegraded(AgentDegraded::kNoEnforcement, configuration_.library_path.empty());
  StartWatches();
  offer_->SetPlugin(*plugin_);
  plugin_->Start();
  machine_->Start();
  enforcement_->Start();
  ticker_ = std::make_unique<program::Ticker>(options_.tick, [this] { Tick(); });
  log_.Info("agent", "serving",
            {{"version", observability::Version()},
             {"commit", observability::Commit()},
             {"node", configuration_.node_name},
             {"monitor", monitor_address_},
             {"authenticated", authenticated_address_}});
  return true;
}

void Application::Tick() {
  const SteadyTime now = clock_.SteadyNow();
  offer_->Refresh();
  publisher_->Tick();
  metrics_.SetDegraded(AgentDegraded::kNoWatchdog, enforcement_->blind());
  metrics_.SetDegraded(AgentDegraded::kNotSynced, !pod_watch_->synced());
  const PluginState plugin = plugin_->State();
  metrics_.SetDegraded(AgentDegraded::kNotRegistered, !plugin.ready());
  const model::ResourceNames& names = configuration_.resource_names;
  metrics_.SetRegistered(names.core, plugin.core.registered);
  metrics_.SetRegistrations(names.core, plugin.core.registrations);
  metrics_.SetRegistered(names.memory, plugin.memory.registered);
  metrics_.SetRegistrations(names.memory, plugin.memory.registrations);
  if (now >= next_sweep_) {
    next_sweep_ = keeper_->Sweep(*pods_) ? now : now + options_.sweep;
  }
  if (verifier_ != nullptr && now >= next_key_look_) {
    next_key_look_ = now + options_.key_look;
    if (const auto keys = verifier_->Refresh(); !keys.ok()) {
      log_.Warn("agent", "signing keys not taken", {{"problem", keys.status().message()}});
    }
  }
}

std::vector<std::string> Application::NotReady() const {
  ReadinessFacts facts;
  facts.draining = draining_.load();
  facts.pods_synced = pods_->Snapshot().synced;
  facts.node_known = publisher_->node() != nullptr;
  const PluginState plugin = plugin_->State();
  facts.registered = plugin.ready();
  facts.registration_problem =
      plugin.directory_problem.empty() ? plugin.core.problem : plugin.directory_problem;
  return ReadinessReasons(facts);
}

NodeFigures Application::Reading() {
  ReadingInputs inputs;
  const DeskFacts facts = offer_->Facts();
  inputs.node = configuration_.node_name;
  inputs.machine = *facts.machine;
  inputs.standing = facts.standing;
  inputs.grants = *live_.Snapshot();
  inputs.containers = ContainersById();
  inputs.enforcement = enforcement_->board().Snapshot();
  return TakeReading(
      inputs, *backend_, layout_,
      [this](pid_t pid) { return OwnerOf(pid, options_.enforcement.proc); }, share_counters_);
}

Watchdog::Containers Application::ContainersById() const {
  Watchdog::Containers containers;
  const PodsSnapshot pods = pods_->Snapshot();
  for (const auto& pod : *pods.pods) {
    for (const ContainerStatus& status : pod->statuses) {
      const std::string id = status.container_id.substr(status.container_id.rfind('/') + 1);
      if (!id.empty()) {  // not yet made
        containers[id] = {pod->pod.uid, status.name};
      }
    }
  }
  return containers;
}

void Application::TellShare(const ShareReport& report) {
  const ContainerIdentity& who = report.grant->identity;
  const bool memory = report.verdict == Verdict::kOverMemory;
  events_->Post(who.key, who.uid, true, memory ? "GpuOverLimit" : "GpuUnenforced", "Watch",
                report.sentence);
  metrics_.CountEnded(VerdictName(report.verdict), report.ended);
}

Status Application::Drain() {
  log_.Info("agent", "draining");
  draining_.store(true);
  offer_->Leave();
  const SteadyTime give_up = clock_.SteadyNow() + configuration_.drain_timeout;
  Status told;
  ticker_->Stop();
  offer_->Refresh();
  while (publisher_->wished() && !publisher_->published()) {
    if (clock_.SteadyNow() >= give_up) {
      told = Status(StatusCode::kDeadlineExceeded,
                    "the node could not be told that the agent leaves; containers run on");
      break;
    }
    publisher_->Tick();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  if (told.ok() && plugin_->State().ready()) {
    std::this_thread::sleep_until(std::min(clock_.SteadyNow() + options_.last_pods, give_up));
  }
  Stop();
  log_.Info("agent", "drained", {{"outcome", told.ToString()}});
  return told;
}

void Application::Stop() {
  if (std::exchange(stopped_, true)) {
    return;
  }
  authenticated_.reset();  // their pages ask everybody
  monitor_.reset();
  if (ticker_ != nullptr) {
    ticker_->Stop();
  }
  if (plugin_ != nullptr) {
    plugin_->Stop();
  }
  if (enforcement_ != nullptr) {
    enforcement_->Stop();
  }
  if (machine_ != nullptr) {
    machine_->Stop();
  }
  if (pod_watch_ != nullptr) {
    pod_watch_->Stop();
    node_watch_->Stop();
  }
  queue_.Stop();
}

}  // namespace aliquot::agent
