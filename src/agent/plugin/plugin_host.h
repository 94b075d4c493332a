// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/plugin/container_desk.h"
#include "agent/plugin/serving_policy.h"
#include "observability/log.h"

namespace aliquot::agent {

struct PluginHostOptions {
  std::string directory = "/var/lib/kubelet/device-plugins";
  std::string core_resource;    // "tencent.com/vcuda-core"
  std::string memory_resource;  // "tencent.com/vcuda-memory"

  // How long a call of Register may take; the kubelet dials us for up to 10 s inside it.
  std::chrono::milliseconds register_timeout{15000};
  std::chrono::nanoseconds stream_grace = kStreamGrace;
  // After a server with a stream was ended the kubelet is given so long to notice, since up to 1.36
  // the end of an old stream disconnects the new registration.
  std::chrono::milliseconds settle{1000};
  // Between looks at a directory that cannot be watched, because it is missing or inotify is used
  // up.
  std::chrono::milliseconds look_interval{2000};
  // Part of each socket's name, new for each server; empty: RandomNonce.
  std::function<std::string()> nonce;
};

// What /readyz and the metrics say of the plugin. Plain values.
struct PluginState {
  struct Resource {
    std::string endpoint;  // the socket's file name, "" while not serving
    bool registered = false;
    int streams = 0;  // of the kubelet
    std::int64_t advertised = 0;
    std::int64_t healthy = 0;
    std::uint64_t registrations = 0;         // that succeeded
    std::uint64_t failed_registrations = 0;  // or servers that could not be started
    std::string problem;                     // the last failure, "" once registered
  };

  std::string directory_problem;  // why the kubelet's directory cannot be used, "" = it can
  bool kubelet_present = false;   // kubelet.sock is there
  Resource core;
  Resource memory;

  // The kubelet knows both resources and listens to them.
  bool ready() const {
    return core.registered && core.streams > 0 && memory.registered && memory.streams > 0;
  }
};

// Both device plugin services, from their sockets to the kubelet's knowledge of them: serves on
// fresh sockets, registers, and begins anew whenever the kubelet's socket is another one, our own
// was removed, the kubelet ended its stream, or RegisterAgain asks for it. Waits as long as it
// takes for a directory or a kubelet that is not there. Nothing is served before the first
// SetDevices.
//
// One thread of its own, which sleeps until something changes, plus gRPC's. Thread-safe. Desk and
// log must outlive it; the desk is called from gRPC's threads. Stop (or the destructor) ends the
// streams, removes the sockets and returns when no call is inside the desk.
class PluginHost {
 public:
  PluginHost(PluginHostOptions options, ContainerDesk& desk, observability::Log& log);
  ~PluginHost();
  PluginHost(const PluginHost&) = delete;
  PluginHost& operator=(const PluginHost&) = delete;

  void Start();
  void Stop();

  // The full lists (AdvertisedDevices); sent to the kubelet where they differ from the last ones.
  void SetDevices(std::vector<AdvertisedDevice> core, std::vector<AdvertisedDevice> memory);
  // For what only the caller can see: the node's allocatable stays 0 although devices are healthy.
  void RegisterAgain(const std::string& reason);

  PluginState State() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aliquot::agent
