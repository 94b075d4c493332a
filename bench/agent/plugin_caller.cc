// SPDX-License-Identifier: Apache-2.0
#include "bench/agent/plugin_caller.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>

#include "deviceplugin/v1beta1/api.grpc.pb.h"

namespace aliquot::bench {
namespace {

using Clock = std::chrono::steady_clock;

void Check(const grpc::Status& status, const char* call) {
  if (!status.ok()) {
    throw std::runtime_error(std::string(call) + " was refused: " + status.error_message());
  }
}

double MicrosecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

class EmptyPlugin final : public v1beta1::DevicePlugin::Service {
 public:
  grpc::Status GetDevicePluginOptions(grpc::ServerContext*, const v1beta1::Empty*,
                                      v1beta1::DevicePluginOptions*) override {
    return grpc::Status::OK;
  }
  grpc::Status Allocate(grpc::ServerContext*, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* response) override {
    for (int i = 0; i < request->container_requests_size(); ++i) {
      response->add_container_responses();
    }
    return grpc::Status::OK;
  }
  grpc::Status PreStartContainer(grpc::ServerContext*, const v1beta1::PreStartContainerRequest*,
                                 v1beta1::PreStartContainerResponse*) override {
    return grpc::Status::OK;
  }
};

}  // namespace

struct PluginCaller::Stub {
  std::unique_ptr<v1beta1::DevicePlugin::Stub> calls;
};

PluginCaller::PluginCaller(const std::string& socket) : stub_(std::make_unique<Stub>()) {
  stub_->calls = v1beta1::DevicePlugin::NewStub(
      grpc::CreateChannel("unix:" + socket, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  v1beta1::DevicePluginOptions options;
  Check(stub_->calls->GetDevicePluginOptions(&context, v1beta1::Empty(), &options),
        "GetDevicePluginOptions");
}

PluginCaller::~PluginCaller() = default;

double PluginCaller::Allocate(const std::vector<std::string>& device_ids) {
  v1beta1::AllocateRequest request;
  auto& ids = *request.add_container_requests()->mutable_devices_ids();
  ids.Assign(device_ids.begin(), device_ids.end());
  v1beta1::AllocateResponse response;
  const Clock::time_point start = Clock::now();
  grpc::ClientContext context;
  Check(stub_->calls->Allocate(&context, request, &response), "Allocate");
  return MicrosecondsSince(start);
}

double PluginCaller::PreStart(const std::vector<std::string>& device_ids) {
  v1beta1::PreStartContainerRequest request;
  request.mutable_devices_ids()->Assign(device_ids.begin(), device_ids.end());
  v1beta1::PreStartContainerResponse response;
  const Clock::time_point start = Clock::now();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  Check(stub_->calls->PreStartContainer(&context, request, &response), "PreStartContainer");
  return MicrosecondsSince(start);
}

void ServeEmptyPlugin(const std::string& socket) {
  EmptyPlugin plugin;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + socket, grpc::InsecureServerCredentials());
  builder.RegisterService(&plugin);
  const auto server = builder.BuildAndStart();
  if (server == nullptr) {
    throw std::runtime_error(socket + " cannot be served");
  }
  for (;;) {
    pause();
  }
}

}  // namespace aliquot::bench
