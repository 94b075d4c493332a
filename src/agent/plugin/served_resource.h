// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/plugin/device_list_feed.h"
#include "agent/plugin/device_plugin_service.h"
#include "agent/plugin/plugin_host.h"
#include "agent/plugin/plugin_server.h"
#include "agent/plugin/plugin_socket.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "kubeclient/backoff.h"
#include "kubeclient/cancellation.h"
#include "observability/log.h"

namespace aliquot::agent {

// One resource on its way to the kubelet: its list, its server, its registration. Step and Close
// are called by one thread; the rest by any.
class ServedResource {
 public:
  // `wake` asks for a Step soon, from any thread. Desk and log must outlive it.
  ServedResource(ServedResourceProfile profile, const PluginHostOptions& options,
                 std::function<void()> wake, observability::Log& log);

  void SetDevices(std::vector<AdvertisedDevice> devices) { feed_.Publish(std::move(devices)); }
  void RegisterAgain(std::string reason);

  // Does what is due, all of it, and returns when to be called again at the latest. Blocks while
  // the kubelet registers.
  SteadyTime Step(kubeclient::Cancellation& cancellation);
  void Close();

  PluginState::Resource state() const;

 private:
  // What is there now; `again` is why RegisterAgain was called, "" = it was not.
  ServingFacts Look(const std::optional<SocketIdentity>& kubelet_socket, SteadyTime now,
                    std::string& again);
  bool Do(kubeclient::Cancellation& cancellation);
  bool Serve();
  bool Register(const SocketIdentity& kubelet_socket, kubeclient::Cancellation& cancellation);
  void Failed(std::string_view message, const Status& status);
  SteadyTime NextLook() const;

  const ServedResourceProfile profile_;
  const PluginHostOptions options_;
  const std::string kubelet_path_;
  observability::Log& log_;
  DeviceListFeed feed_;
  DevicePluginService service_;

  // Of the stepping thread.
  std::unique_ptr<PluginServer> server_;
  std::optional<SocketIdentity> registered_with_;
  std::optional<SocketIdentity> seen_kubelet_;
  SteadyTime stream_seen_;
  SteadyTime not_before_;  // no attempt earlier than this
  kubeclient::Backoff backoff_;

  mutable Mutex mutex_;
  std::string again_reason_ GUARDED_BY(mutex_);  // "" = not asked
  PluginState::Resource state_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
