// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/pod.h"

// A kubelet in this process, for tests and benchmarks of the node's agent: as much of its device
// manager as a device plugin can see. It serves Registration and PodResources on unix sockets,
// dials plugins back, keeps their ListAndWatch streams, allocates at admission, calls
// PreStartContainer, and writes its checkpoint. What differs between minors is an option. Written
// from the behaviour that was measured with kubelets 1.34 and 1.37; no container is ever run.
namespace aliquot::test {

struct FakeKubeletOptions {
  std::string directory;             // the device plugin directory; must exist
  std::string pod_resources_socket;  // "" = no PodResources service

  // Up to 1.33: PodResources has no Get (kUnimplemented).
  bool without_get = false;
  // The feature gate KubeletPodResourcesGet off: Get answers UNKNOWN "... method disabled".
  bool get_disabled = false;
  // Old patches: List names pods that have ended, with the devices they had.
  bool lists_ended_pods = false;
  // 1.32: at start every file of the directory but the checkpoint is removed; else only sockets.
  bool removes_all_files = false;
  // Up to 1.36: the end of an old stream disconnects whoever is registered under that name.
  bool old_stream_disconnects = true;
  // PodResources calls a second, 10 at once, all clients together; 0 = any number.
  double pod_resources_per_second = 100;
  std::chrono::milliseconds pre_start_deadline{30000};
  // Called for every Register, with its resource, before the plugin is dialled; may be empty.
  std::function<void(const std::string&)> before_register;
  std::uint32_t seed = 1;  // of the random orders: resources of a container, IDs
};

struct FakeContainer {
  std::string name;
  model::ContainerKind kind = model::ContainerKind::kApp;
  std::map<std::string, int> resources;  // "tencent.com/vcuda-core" -> 20
};

struct FakePod {
  model::PodKey key;
  std::string uid;
  std::vector<FakeContainer> containers;  // init containers and sidecars first, in spec order
};

// One answer of a plugin, as the kubelet caches it and hands it to the runtime.
struct CachedAllocation {
  std::vector<std::string> device_ids;
  std::map<std::string, std::string> environment;
  struct Mount {
    std::string container_path, host_path;
    bool read_only = false;
  };
  struct Device {
    std::string container_path, host_path, permissions;
  };
  std::vector<Mount> mounts;
  std::vector<Device> devices;
  std::vector<std::string> cdi_devices;
};

// What the runtime would be asked to start, or why it is not.
using ResourceAllocations = std::map<std::string, CachedAllocation>;  // resource -> answer

// Thread-safe: pods may be admitted and containers started from several threads at once.
class FakeKubelet {
 public:
  explicit FakeKubelet(FakeKubeletOptions options);
  ~FakeKubelet();
  FakeKubelet(const FakeKubelet&) = delete;
  FakeKubelet& operator=(const FakeKubelet&) = delete;

  // Starts as the kubelet does: reads its checkpoint, removes sockets, makes its own. Plugins are
  // unknown until they register; capacity is 0 until then.
  void Start();
  // Ends as a kubelet that is stopped or killed: streams end, sockets stay on disk.
  void Stop();

  // Ends every plugin's stream from the kubelet's side while it goes on, as for a plugin that it
  // could no longer reach.
  void DropStreams();

  // ---- what the node's status would say
  int Capacity(const std::string& resource) const;
  int Allocatable(const std::string& resource) const;  // healthy ones
  // True once allocatable is `expected`, false when `timeout` has passed.
  bool WaitForAllocatable(const std::string& resource, int expected,
                          std::chrono::milliseconds timeout = std::chrono::seconds(10)) const;
  // Every Register that succeeded since construction, and its endpoint, in order.
  std::vector<std::pair<std::string, std::string>> Registrations() const;  // resource, endpoint

  // ---- pods
  // Admission: Allocate for every container and resource, init containers first; the pool of an
  // ordinary init container's IDs is offered first to later ones. An error is the kubelet's
  // sentence: the pod is rejected for good and holds nothing.
  Status Admit(const FakePod& pod);
  // A container's start or restart: PreStartContainer where the plugin asks for it, then what it is
  // given. An error is the plugin's own code and sentence, kUnavailable where it does not answer;
  // may be called again after it, as the kubelet does. After Start and until the plugin has
  // registered again nothing is asked, and the cached answer is given.
  Result<ResourceAllocations> StartContainer(const std::string& uid, const std::string& container);
  // The pod reached Succeeded or Failed: its IDs are free at the next admission.
  void End(const std::string& uid);
  // The pod is gone from the API.
  void Remove(const std::string& uid);

  // The IDs that a container holds, sorted; empty for none.
  std::vector<std::string> DeviceIds(const std::string& uid, const std::string& container,
                                     const std::string& resource) const;
  std::string checkpoint_path() const;

  // ---- faults of PodResources: every call waits so long, then answers (or fails with
  // kUnavailable)
  void DelayPodResources(std::chrono::milliseconds delay);
  void FailPodResources(bool fail);
  int pod_resources_gets() const;
  int pod_resources_lists() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aliquot::test
