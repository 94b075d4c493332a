// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server.h>

#include <chrono>
#include <memory>
#include <string>

#include "agent/plugin/device_list_feed.h"
#include "agent/plugin/device_plugin_service.h"
#include "base/status.h"

namespace aliquot::agent {

// The service of one resource on one unix socket. Not thread-safe: one thread starts and ends it;
// gRPC's threads serve it.
class PluginServer {
 public:
  // Listens on directory/endpoint, and has answered a call of its own over that socket when it
  // returns. An error is one sentence. Service and feed must outlive the server.
  static Result<std::unique_ptr<PluginServer>> Start(const std::string& directory,
                                                     const std::string& endpoint,
                                                     DevicePluginService& service,
                                                     DeviceListFeed& feed);
  // Ends the streams, gives other calls 2 s, and removes the socket.
  ~PluginServer();
  PluginServer(const PluginServer&) = delete;
  PluginServer& operator=(const PluginServer&) = delete;

  const std::string& endpoint() const { return endpoint_; }  // the socket's file name
  const std::string& path() const { return path_; }
  // Does the socket file still lie there? The kubelet removes it when it starts.
  bool socket_present() const;

 private:
  PluginServer(std::string directory, std::string endpoint, DeviceListFeed& feed);

  const std::string endpoint_;
  const std::string path_;
  DeviceListFeed& feed_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace aliquot::agent
