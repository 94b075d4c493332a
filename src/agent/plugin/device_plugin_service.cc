// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/device_plugin_service.h"

#include <utility>
#include <vector>

#include "agent/plugin/advertised_devices.h"
#include "agent/plugin/device_request.h"
#include "agent/plugin/grpc_status.h"

namespace aliquot::agent {
namespace {

std::vector<std::string> ToVector(const google::protobuf::RepeatedPtrField<std::string>& ids) {
  return {ids.begin(), ids.end()};
}

void Write(const ContainerEdits& edits, v1beta1::ContainerAllocateResponse& response) {
  for (const auto& [name, value] : edits.environment) (*response.mutable_envs())[name] = value;
  for (const ContainerEdits::Mount& mount : edits.mounts) {
    v1beta1::Mount* added = response.add_mounts();
    added->set_container_path(mount.container_path);
    added->set_host_path(mount.host_path);
    added->set_read_only(mount.read_only);
  }
  for (const ContainerEdits::Device& device : edits.devices) {
    v1beta1::DeviceSpec* added = response.add_devices();
    added->set_container_path(device.container_path);
    added->set_host_path(device.host_path);
    added->set_permissions(device.permissions);
  }
  for (const std::string& name : edits.cdi_devices) response.add_cdi_devices()->set_name(name);
}

}  // namespace

DevicePluginService::DevicePluginService(ServedResourceProfile profile, DeviceListFeed& feed)
    : profile_(std::move(profile)), feed_(feed) {}

grpc::Status DevicePluginService::GetDevicePluginOptions(grpc::ServerContext*,
                                                         const v1beta1::Empty*,
                                                         v1beta1::DevicePluginOptions* response) {
  response->set_pre_start_required(pre_start_required());
  response->set_get_preferred_allocation_available(false);
  return grpc::Status::OK;
}

grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* DevicePluginService::ListAndWatch(
    grpc::CallbackServerContext*, const v1beta1::Empty*) {
  return feed_.NewStream();
}

grpc::Status DevicePluginService::Allocate(grpc::ServerContext*,
                                           const v1beta1::AllocateRequest* request,
                                           v1beta1::AllocateResponse* response) {
  // All containers are checked before the first is answered: an answer may have an effect on disk.
  std::vector<std::vector<std::string>> containers;
  for (const v1beta1::ContainerAllocateRequest& container : request->container_requests()) {
    containers.push_back(ToVector(container.devices_ids()));
    const Status status = CheckDeviceIds(profile_.resource, profile_.id_prefix,
                                         feed_.ever_advertised(), containers.back());
    if (!status.ok()) return ToGrpc(status);
  }
  for (const std::vector<std::string>& device_ids : containers) {
    v1beta1::ContainerAllocateResponse* answer = response->add_container_responses();
    if (profile_.desk == nullptr) continue;
    const Result<ContainerEdits> edits = profile_.desk->Allocate(device_ids);
    if (!edits.ok()) return ToGrpc(edits.status());
    Write(*edits, *answer);
  }
  return grpc::Status::OK;
}

grpc::Status DevicePluginService::PreStartContainer(
    grpc::ServerContext* context, const v1beta1::PreStartContainerRequest* request,
    v1beta1::PreStartContainerResponse*) {
  const std::vector<std::string> device_ids = ToVector(request->devices_ids());
  const Status status =
      CheckDeviceIds(profile_.resource, profile_.id_prefix, kMaxAdvertisedDevices, device_ids);
  if (!status.ok()) return ToGrpc(status);
  if (profile_.desk == nullptr) return grpc::Status::OK;
  // The kubelet has given up already (30 s) and will ask again.
  if (context->IsCancelled()) return grpc::Status::CANCELLED;
  return ToGrpc(profile_.desk->PreStart(device_ids));
}

}  // namespace aliquot::agent
