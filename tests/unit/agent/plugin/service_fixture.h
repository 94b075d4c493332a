// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpc/grpc.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/plugin/device_list_feed.h"
#include "agent/plugin/device_plugin_service.h"
#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/plugin_server.h"
#include "tests/unit/agent/plugin/plugin_fixture.h"

namespace aliquot::agent {

// The core service on a socket in a directory of its own, and a client of it: what a kubelet is.
class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() : feed_([] {}), service_({kCore, "c", "core", &desk_}, feed_) {}

  void SetUp() override {
    SilenceGrpcLog();
    feed_.Publish(Cores(800, 800));
    Serve();
  }

  void Serve() {
    auto server = PluginServer::Start(directory_.path(), "core.sock", service_, feed_);
    ASSERT_TRUE(server.ok()) << server.status().message();
    server_ = std::move(*server);
    stub_ = NewStub();
  }

  std::unique_ptr<v1beta1::DevicePlugin::Stub> NewStub() const {
    return v1beta1::DevicePlugin::NewStub(
        UnixSocketChannel(directory_ / "core.sock", 16 * 1024 * 1024));
  }

  // A connection that takes 64 KiB unread and no more (gRPC would let it grow to megabytes).
  std::unique_ptr<v1beta1::DevicePlugin::Stub> NewNarrowStub() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 64 * 1024);
    return v1beta1::DevicePlugin::NewStub(grpc::CreateCustomChannel(
        "unix:" + (directory_ / "core.sock"), grpc::InsecureChannelCredentials(), arguments));
  }

  grpc::Status Allocate(const std::vector<std::vector<std::string>>& containers,
                        v1beta1::AllocateResponse* response) {
    v1beta1::AllocateRequest request;
    for (const auto& ids : containers) {
      auto* container = request.add_container_requests();
      for (const std::string& id : ids) container->add_devices_ids(id);
    }
    grpc::ClientContext context;
    return stub_->Allocate(&context, request, response);
  }

  grpc::Status PreStart(const std::vector<std::string>& ids,
                        std::chrono::milliseconds deadline = std::chrono::seconds(30)) {
    v1beta1::PreStartContainerRequest request;
    for (const std::string& id : ids) request.add_devices_ids(id);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + deadline);
    v1beta1::PreStartContainerResponse response;
    return stub_->PreStartContainer(&context, request, &response);
  }

  TemporaryDirectory directory_;
  FakeDesk desk_;
  DeviceListFeed feed_;
  DevicePluginService service_;
  std::unique_ptr<PluginServer> server_;
  std::unique_ptr<v1beta1::DevicePlugin::Stub> stub_;
};

}  // namespace aliquot::agent
