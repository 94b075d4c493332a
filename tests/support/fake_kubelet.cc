// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_kubelet.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <set>
#include <thread>

#include "base/mutex.h"
#include "tests/support/fake_device_manager.h"
#include "tests/support/fake_kubelet_checkpoint.h"
#include "tests/support/fake_kubelet_plugin.h"
#include "tests/support/fake_kubelet_services.h"

namespace aliquot::test {
namespace {

constexpr std::chrono::milliseconds kPoll{5};
constexpr double kBurst = 10;  // PodResources calls at once

CachedAllocation ToCached(const FakeKubeletAllocation& allocation) {
  v1beta1::ContainerAllocateResponse answer;
  answer.ParseFromString(allocation.answer);
  CachedAllocation cached;
  cached.device_ids = allocation.device_ids;
  for (const auto& [name, value] : answer.envs()) cached.environment[name] = value;
  for (const v1beta1::Mount& mount : answer.mounts()) {
    cached.mounts.push_back({mount.container_path(), mount.host_path(), mount.read_only()});
  }
  for (const v1beta1::DeviceSpec& device : answer.devices()) {
    cached.devices.push_back({device.container_path(), device.host_path(), device.permissions()});
  }
  for (const v1beta1::CDIDevice& device : answer.cdi_devices()) {
    cached.cdi_devices.push_back(device.name());
  }
  return cached;
}

const FakeContainer* FindContainer(const FakePod& pod, const std::string& name) {
  for (const FakeContainer& container : pod.containers) {
    if (container.name == name) return &container;
  }
  return nullptr;
}

}  // namespace

class FakeKubelet::Impl {
 public:
  explicit Impl(FakeKubeletOptions given)
      : options(std::move(given)),
        registration_(
            [this](const v1beta1::RegisterRequest& request) { return Register(request); }),
        pod_resources_(
            [this](v1::ListPodResourcesResponse& response) { return List(response); },
            [this](const v1::GetPodResourcesRequest& request,
                   v1::GetPodResourcesResponse& response) { return Get(request, response); }),
        random_(options.seed) {}

  void Start();
  void Stop();
  void DropStreams();
  Status Admit(const FakePod& pod);
  Result<ResourceAllocations> StartContainer(const std::string& uid, const std::string& container);

  std::string checkpoint_path() const { return options.directory + "/kubelet_internal_checkpoint"; }

  const FakeKubeletOptions options;
  mutable Mutex mutex;
  FakeDeviceManager manager GUARDED_BY(mutex);
  std::vector<std::pair<std::string, std::string>> registrations GUARDED_BY(mutex);
  std::chrono::milliseconds delay GUARDED_BY(mutex){0};
  bool failing GUARDED_BY(mutex) = false;
  int gets GUARDED_BY(mutex) = 0;
  int lists GUARDED_BY(mutex) = 0;

 private:
  struct Endpoint {
    std::shared_ptr<FakeKubeletPlugin>
        plugin;  // null: read back from the checkpoint, not registered
    bool stopped = true;
  };

  void RemoveOldSockets();
  grpc::Status Register(const v1beta1::RegisterRequest& request);
  void StreamEnded(const FakeKubeletPlugin& plugin);
  Status AllocateContainer(const FakePod& pod, const FakeContainer& container);
  Result<FakeKubeletAllocation> Ask(const std::string& resource, std::vector<std::string> ids);
  Status PreStart(const std::string& resource, const std::vector<std::string>& ids);
  grpc::Status BeforePodResources(bool get);
  grpc::Status List(v1::ListPodResourcesResponse& response);
  grpc::Status Get(const v1::GetPodResourcesRequest& request,
                   v1::GetPodResourcesResponse& response);
  std::vector<std::string> ShuffledResources(const FakeContainer& container);

  FakeRegistrationService registration_;
  FakePodResourcesService pod_resources_;
  std::unique_ptr<FakeUnixServer> registration_server_;
  std::unique_ptr<FakeUnixServer> pod_resources_server_;

  Mutex admission_;  // the kubelet admits one pod at a time
  std::mt19937 random_ GUARDED_BY(mutex);
  std::map<std::string, Endpoint> endpoints_ GUARDED_BY(mutex);
  // All that ever registered: their threads end with them, outside the lock.
  std::vector<std::shared_ptr<FakeKubeletPlugin>> plugins_ GUARDED_BY(mutex);
  double tokens_ GUARDED_BY(mutex) = kBurst;
  std::chrono::steady_clock::time_point refilled_ GUARDED_BY(mutex) =
      std::chrono::steady_clock::now();
};

void FakeKubelet::Impl::RemoveOldSockets() {
  for (const auto& entry : std::filesystem::directory_iterator(options.directory)) {
    if (entry.path() == checkpoint_path()) continue;
    const bool all = options.removes_all_files && !entry.is_directory();
    if (all || entry.is_socket()) std::filesystem::remove(entry.path());
  }
}

void FakeKubelet::Impl::Start() {
  {
    MutexLock lock(mutex);
    manager.Restore(ReadCheckpoint(checkpoint_path()));
    endpoints_.clear();
    for (const std::string& resource : manager.resources()) endpoints_[resource] = Endpoint();
  }
  RemoveOldSockets();
  registration_server_ =
      std::make_unique<FakeUnixServer>(options.directory + "/kubelet.sock", registration_);
  if (options.pod_resources_socket.empty()) return;
  std::filesystem::remove(options.pod_resources_socket);
  pod_resources_server_ =
      std::make_unique<FakeUnixServer>(options.pod_resources_socket, pod_resources_);
}

void FakeKubelet::Impl::Stop() {
  registration_server_.reset();
  pod_resources_server_.reset();
  std::vector<std::shared_ptr<FakeKubeletPlugin>> ended;
  {
    MutexLock lock(mutex);
    ended.swap(plugins_);
    endpoints_.clear();
  }
  for (const auto& plugin : ended) plugin->Cancel();
}

void FakeKubelet::Impl::DropStreams() {
  MutexLock lock(mutex);
  for (const auto& plugin : plugins_) plugin->Cancel();
}

grpc::Status FakeKubelet::Impl::Register(const v1beta1::RegisterRequest& request) {
  const auto error = [](const std::string& text) {
    return grpc::Status(grpc::StatusCode::UNKNOWN, text);
  };
  if (request.version() != "v1beta1") {
    return error("requested API version \"" + request.version() + "\" is not supported by kubelet");
  }
  if (request.resource_name().find('/') == std::string::npos) {
    return error("the ResourceName \"" + request.resource_name() + "\" is invalid");
  }
  if (options.before_register) options.before_register(request.resource_name());
  auto plugin = std::make_shared<FakeKubeletPlugin>(request.resource_name(),
                                                    options.directory + "/" + request.endpoint());
  const Status connected = plugin->Connect();
  if (!connected.ok()) return error("failed to dial device plugin: " + connected.message());
  {
    MutexLock lock(mutex);
    endpoints_[request.resource_name()] = {plugin, false};
    plugins_.push_back(plugin);
    registrations.emplace_back(request.resource_name(), request.endpoint());
  }
  // Not by the shared pointer: the plugin's thread must not be the last to hold it.
  FakeKubeletPlugin& followed = *plugin;
  plugin->Follow(
      [this, &followed](FakeKubeletPlugin::Devices devices) {
        MutexLock lock(mutex);
        manager.SetDevices(followed.resource(), devices);
        WriteCheckpoint(checkpoint_path(), manager.checkpoint());
      },
      [this, &followed] { StreamEnded(followed); });
  return grpc::Status::OK;
}

void FakeKubelet::Impl::StreamEnded(const FakeKubeletPlugin& plugin) {
  MutexLock lock(mutex);
  const auto found = endpoints_.find(plugin.resource());
  if (found == endpoints_.end()) return;  // the kubelet itself has ended
  if (!options.old_stream_disconnects && found->second.plugin.get() != &plugin) return;
  found->second.stopped = true;
  manager.MarkUnhealthy(plugin.resource());
}

std::vector<std::string> FakeKubelet::Impl::ShuffledResources(const FakeContainer& container) {
  std::vector<std::string> resources;
  for (const auto& [resource, amount] : container.resources) {
    if (amount > 0) resources.push_back(resource);
  }
  MutexLock lock(mutex);
  std::shuffle(resources.begin(), resources.end(), random_);
  return resources;
}

Status FakeKubelet::Impl::Admit(const FakePod& pod) {
  MutexLock admitting(admission_);
  {
    MutexLock lock(mutex);
    manager.Reclaim();
    manager.AddPod(pod);
  }
  for (const FakeContainer& container : pod.containers) {
    const Status status = AllocateContainer(pod, container);
    if (!status.ok()) {
      MutexLock lock(mutex);
      manager.EndPod(pod.uid);
      return Status(status.code(), "Pod was rejected: Allocate failed due to " + status.message() +
                                       ", which is unexpected");
    }
  }
  return Status::Ok();
}

Status FakeKubelet::Impl::AllocateContainer(const FakePod& pod, const FakeContainer& container) {
  for (const std::string& resource : ShuffledResources(container)) {
    std::vector<std::string> ids;
    {
      MutexLock lock(mutex);
      if (!manager.Known(resource)) continue;  // as the kubelet ignores what no plugin serves
      Result<std::vector<std::string>> chosen =
          manager.Choose(pod.uid, resource, container.resources.at(resource), random_);
      if (!chosen.ok()) return chosen.status();
      ids = *std::move(chosen);
    }
    // The plugin is asked under no lock; admission itself is serial.
    Result<FakeKubeletAllocation> allocation = Ask(resource, std::move(ids));
    if (!allocation.ok()) return allocation.status();
    MutexLock lock(mutex);
    manager.Commit(pod.uid, container, resource, *std::move(allocation));
    WriteCheckpoint(checkpoint_path(), manager.checkpoint());
  }
  return Status::Ok();
}

Result<FakeKubeletAllocation> FakeKubelet::Impl::Ask(const std::string& resource,
                                                     std::vector<std::string> ids) {
  std::shared_ptr<FakeKubeletPlugin> plugin;
  {
    MutexLock lock(mutex);
    const Endpoint& endpoint = endpoints_[resource];
    if (endpoint.stopped) return Unavailable("endpoint of " + resource + " has been stopped");
    plugin = endpoint.plugin;
  }
  Result<v1beta1::ContainerAllocateResponse> answer = plugin->Allocate(ids);
  if (!answer.ok()) {
    return Status(answer.status().code(), "rpc error: " + answer.status().message());
  }
  return FakeKubeletAllocation{std::move(ids), answer->SerializeAsString()};
}

Status FakeKubelet::Impl::PreStart(const std::string& resource,
                                   const std::vector<std::string>& ids) {
  std::shared_ptr<FakeKubeletPlugin> plugin;
  {
    MutexLock lock(mutex);
    const auto found = endpoints_.find(resource);
    // Read back from the checkpoint: the plugin's options are unknown, so it is not asked.
    if (found == endpoints_.end() || found->second.plugin == nullptr) return Status::Ok();
    if (!found->second.plugin->pre_start_required()) return Status::Ok();
    if (found->second.stopped) return Unavailable("endpoint of " + resource + " has been stopped");
    plugin = found->second.plugin;
  }
  return plugin->PreStart(ids, options.pre_start_deadline);
}

Result<ResourceAllocations> FakeKubelet::Impl::StartContainer(const std::string& uid,
                                                              const std::string& container) {
  std::optional<FakePod> pod;
  {
    MutexLock lock(mutex);
    pod = manager.FindPod(uid);
  }
  const FakeContainer* found = pod ? FindContainer(*pod, container) : nullptr;
  if (found == nullptr) return NotFound("no container " + container + " in a pod of UID " + uid);
  ResourceAllocations allocations;
  for (const std::string& resource : ShuffledResources(*found)) {
    std::optional<FakeKubeletAllocation> allocation;
    {
      MutexLock lock(mutex);
      allocation = manager.Find(uid, container, resource);
    }
    if (!allocation) continue;
    const Status status = PreStart(resource, allocation->device_ids);
    if (!status.ok()) return status;
    allocations[resource] = ToCached(*allocation);
  }
  return allocations;
}

grpc::Status FakeKubelet::Impl::BeforePodResources(bool get) {
  std::chrono::milliseconds wait{0};
  {
    MutexLock lock(mutex);
    ++(get ? gets : lists);
    wait = delay;
    const auto now = std::chrono::steady_clock::now();
    const double rate = options.pod_resources_per_second;
    tokens_ =
        std::min(kBurst, tokens_ + rate * std::chrono::duration<double>(now - refilled_).count());
    refilled_ = now;
    if (rate > 0 && tokens_ < 1) {
      return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit");
    }
    tokens_ -= 1;
    if (failing) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "told to fail");
  }
  std::this_thread::sleep_for(wait);
  return grpc::Status::OK;
}

grpc::Status FakeKubelet::Impl::List(v1::ListPodResourcesResponse& response) {
  const grpc::Status status = BeforePodResources(false);
  if (!status.ok()) return status;
  MutexLock lock(mutex);
  // With the pods that have ended their devices are listed too: nothing is reclaimed yet.
  if (!options.lists_ended_pods) manager.Reclaim();
  for (const FakePod& pod : manager.Pods(options.lists_ended_pods)) {
    manager.Describe(pod, *response.add_pod_resources());
  }
  return grpc::Status::OK;
}

grpc::Status FakeKubelet::Impl::Get(const v1::GetPodResourcesRequest& request,
                                    v1::GetPodResourcesResponse& response) {
  if (options.without_get) {
    return grpc::Status(grpc::StatusCode::UNIMPLEMENTED,
                        "unknown method Get for service "
                        "v1.PodResourcesLister");
  }
  if (options.get_disabled) {
    return grpc::Status(grpc::StatusCode::UNKNOWN, "PodResources API Get method disabled");
  }
  const grpc::Status status = BeforePodResources(true);
  if (!status.ok()) return status;
  MutexLock lock(mutex);
  for (const FakePod& pod : manager.Pods(true)) {
    if (pod.key.name != request.pod_name()) continue;
    if (pod.key.namespace_name != request.pod_namespace()) continue;
    manager.Describe(pod, *response.mutable_pod_resources());
    return grpc::Status::OK;
  }
  return grpc::Status(grpc::StatusCode::UNKNOWN, "pod " + request.pod_name() + " in namespace " +
                                                     request.pod_namespace() + " not found");
}

FakeKubelet::FakeKubelet(FakeKubeletOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
FakeKubelet::~FakeKubelet() { impl_->Stop(); }
void FakeKubelet::Start() { impl_->Start(); }
void FakeKubelet::Stop() { impl_->Stop(); }
void FakeKubelet::DropStreams() { impl_->DropStreams(); }

int FakeKubelet::Capacity(const std::string& resource) const {
  MutexLock lock(impl_->mutex);
  return impl_->manager.capacity(resource);
}

int FakeKubelet::Allocatable(const std::string& resource) const {
  MutexLock lock(impl_->mutex);
  return impl_->manager.allocatable(resource);
}

bool FakeKubelet::WaitForAllocatable(const std::string& resource, int expected,
                                     std::chrono::milliseconds timeout) const {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  while (Allocatable(resource) != expected) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

std::vector<std::pair<std::string, std::string>> FakeKubelet::Registrations() const {
  MutexLock lock(impl_->mutex);
  return impl_->registrations;
}

Status FakeKubelet::Admit(const FakePod& pod) { return impl_->Admit(pod); }

Result<ResourceAllocations> FakeKubelet::StartContainer(const std::string& uid,
                                                        const std::string& container) {
  return impl_->StartContainer(uid, container);
}

void FakeKubelet::End(const std::string& uid) {
  MutexLock lock(impl_->mutex);
  impl_->manager.EndPod(uid);
}

void FakeKubelet::Remove(const std::string& uid) {
  MutexLock lock(impl_->mutex);
  impl_->manager.RemovePod(uid);
}

std::vector<std::string> FakeKubelet::DeviceIds(const std::string& uid,
                                                const std::string& container,
                                                const std::string& resource) const {
  MutexLock lock(impl_->mutex);
  const auto allocation = impl_->manager.Find(uid, container, resource);
  if (!allocation) return {};
  std::vector<std::string> ids = allocation->device_ids;
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::string FakeKubelet::checkpoint_path() const { return impl_->checkpoint_path(); }

void FakeKubelet::DelayPodResources(std::chrono::milliseconds delay) {
  MutexLock lock(impl_->mutex);
  impl_->delay = delay;
}

void FakeKubelet::FailPodResources(bool fail) {
  MutexLock lock(impl_->mutex);
  impl_->failing = fail;
}

int FakeKubelet::pod_resources_gets() const {
  MutexLock lock(impl_->mutex);
  return impl_->gets;
}

int FakeKubelet::pod_resources_lists() const {
  MutexLock lock(impl_->mutex);
  return impl_->lists;
}

}  // namespace aliquot::test
