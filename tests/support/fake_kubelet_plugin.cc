// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_kubelet_plugin.h"

#include <grpc/grpc.h>
#include <grpcpp/create_channel.h>

namespace aliquot::test {
namespace {

Status ToStatus(const grpc::Status& status) {
  if (status.ok()) return Status::Ok();
  return Status(static_cast<StatusCode>(status.error_code()), status.error_message());
}

std::unique_ptr<v1beta1::DevicePlugin::Stub> NewStub(const std::string& socket_path) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return v1beta1::DevicePlugin::NewStub(grpc::CreateCustomChannel(
      "unix:" + socket_path, grpc::InsecureChannelCredentials(), arguments));
}

}  // namespace

FakeKubeletPlugin::FakeKubeletPlugin(std::string resource, const std::string& socket_path)
    : resource_(std::move(resource)), stub_(NewStub(socket_path)) {}

FakeKubeletPlugin::~FakeKubeletPlugin() {
  Cancel();
  if (thread_.joinable()) thread_.join();
}

Status FakeKubeletPlugin::Connect() {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  context.set_wait_for_ready(true);
  return ToStatus(stub_->GetDevicePluginOptions(&context, v1beta1::Empty(), &options_));
}

void FakeKubeletPlugin::Follow(std::function<void(Devices)> on_devices,
                               std::function<void()> on_end) {
  thread_ = std::thread([this, on_devices = std::move(on_devices), on_end = std::move(on_end)] {
    const auto stream = stub_->ListAndWatch(&stream_context_, v1beta1::Empty());
    v1beta1::ListAndWatchResponse response;
    while (stream->Read(&response)) {
      Devices devices;
      devices.reserve(static_cast<std::size_t>(response.devices_size()));
      for (const v1beta1::Device& device : response.devices()) {
        devices.emplace_back(device.id(), device.health() == "Healthy");
      }
      on_devices(std::move(devices));
    }
    [[maybe_unused]] const grpc::Status status = stream->Finish();
    on_end();
  });
}

void FakeKubeletPlugin::Cancel() { stream_context_.TryCancel(); }

Result<v1beta1::ContainerAllocateResponse> FakeKubeletPlugin::Allocate(
    const std::vector<std::string>& device_ids) {
  v1beta1::AllocateRequest request;
  v1beta1::ContainerAllocateRequest* container = request.add_container_requests();
  for (const std::string& id : device_ids) container->add_devices_ids(id);
  grpc::ClientContext context;
  v1beta1::AllocateResponse response;
  const grpc::Status status = stub_->Allocate(&context, request, &response);
  if (!status.ok()) return ToStatus(status);
  if (response.container_responses_size() != 1) {
    return Internal("the plugin answered for " +
                    std::to_string(response.container_responses_size()) + " containers, not for 1");
  }
  return response.container_responses(0);
}

Status FakeKubeletPlugin::PreStart(const std::vector<std::string>& device_ids,
                                   std::chrono::milliseconds deadline) {
  v1beta1::PreStartContainerRequest request;
  for (const std::string& id : device_ids) request.add_devices_ids(id);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + deadline);
  v1beta1::PreStartContainerResponse response;
  return ToStatus(stub_->PreStartContainer(&context, request, &response));
}

}  // namespace aliquot::test
