// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/plugin/container_desk.h"
#include "agent/plugin/device_list_feed.h"
#include "deviceplugin/v1beta1/api.grpc.pb.h"

namespace aliquot::agent {

// What the service of one resource answers with.
struct ServedResourceProfile {
  std::string resource;   // "tencent.com/vcuda-core"
  std::string id_prefix;  // kCoreIdPrefix, kMemoryIdPrefix
  std::string kind;       // "core", "memory": part of the socket's name
  // Answers Allocate and PreStartContainer; null: every answer is empty and PreStartContainer is
  // not asked for. Must outlive the service.
  ContainerDesk* desk = nullptr;
};

// The kubelet's device plugin service (proto/deviceplugin/v1beta1) for one resource. Thread-safe;
// calls overlap, each on a thread of gRPC's, and block it as long as the desk takes.
// GetPreferredAllocation is not offered: IDs are a pool, none is better than another.
class DevicePluginService final : public v1beta1::DevicePlugin::WithCallbackMethod_ListAndWatch<
                                      v1beta1::DevicePlugin::Service> {
 public:
  // The feed must outlive the service.
  DevicePluginService(ServedResourceProfile profile, DeviceListFeed& feed);

  grpc::Status GetDevicePluginOptions(grpc::ServerContext* context, const v1beta1::Empty* request,
                                      v1beta1::DevicePluginOptions* response) override;
  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* ListAndWatch(
      grpc::CallbackServerContext* context, const v1beta1::Empty* request) override;
  grpc::Status Allocate(grpc::ServerContext* context, const v1beta1::AllocateRequest* request,
                        v1beta1::AllocateResponse* response) override;
  grpc::Status PreStartContainer(grpc::ServerContext* context,
                                 const v1beta1::PreStartContainerRequest* request,
                                 v1beta1::PreStartContainerResponse* response) override;

  const ServedResourceProfile& profile() const { return profile_; }
  bool pre_start_required() const { return profile_.desk != nullptr; }

 private:
  const ServedResourceProfile profile_;
  DeviceListFeed& feed_;
};

}  // namespace aliquot::agent
