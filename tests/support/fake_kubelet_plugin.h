// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "deviceplugin/v1beta1/api.grpc.pb.h"

namespace aliquot::test {

// The fake kubelet's side of one registered device plugin. Thread-safe once begun.
class FakeKubeletPlugin {
 public:
  using Devices = std::vector<std::pair<std::string, bool>>;  // ID, healthy

  FakeKubeletPlugin(std::string resource, const std::string& socket_path);
  // Cancels the stream and waits for its end.
  ~FakeKubeletPlugin();

  // Dials and asks for the options, as the kubelet does inside Register.
  Status Connect();
  // Follows ListAndWatch; both functions are called from the stream's thread, `on_end` once.
  void Follow(std::function<void(Devices)> on_devices, std::function<void()> on_end);
  void Cancel();

  Result<v1beta1::ContainerAllocateResponse> Allocate(const std::vector<std::string>& device_ids);
  Status PreStart(const std::vector<std::string>& device_ids, std::chrono::milliseconds deadline);

  const std::string& resource() const { return resource_; }
  bool pre_start_required() const { return options_.pre_start_required(); }

 private:
  const std::string resource_;
  std::unique_ptr<v1beta1::DevicePlugin::Stub> stub_;
  v1beta1::DevicePluginOptions options_;
  grpc::ClientContext stream_context_;
  std::thread thread_;
};

}  // namespace aliquot::test
