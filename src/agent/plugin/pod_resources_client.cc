// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/pod_resources_client.h"

#include <grpcpp/client_context.h>

#include <utility>

#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/grpc_status.h"
#include "podresources/v1/api.grpc.pb.h"

namespace aliquot::agent {
namespace {

constexpr int kMaxMessageBytes = 16 * 1024 * 1024;

PodResourcesPod ToPod(const v1::PodResources& message, const std::string& resource) {
  PodResourcesPod pod;
  pod.key = {message.namespace_(), message.name()};
  for (const v1::ContainerResources& container : message.containers()) {
    PodResourcesContainer& added = pod.containers.emplace_back();
    added.name = container.name();
    for (const v1::ContainerDevices& devices : container.devices()) {
      if (devices.resource_name() != resource) continue;
      added.device_ids.insert(added.device_ids.end(), devices.device_ids().begin(),
                              devices.device_ids().end());
    }
  }
  return pod;
}

bool Contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// The kubelet answers in plain errors, which arrive as UNKNOWN: what they mean stands in their
// text.
Status ToStatus(const grpc::Status& status, const std::string& call, const std::string& socket) {
  Status converted = FromGrpc(status);
  if (status.error_code() == grpc::StatusCode::UNKNOWN) {
    const std::string& text = status.error_message();
    const StatusCode code = Contains(text, "method disabled") ? StatusCode::kUnimplemented
                            : Contains(text, "not found")     ? StatusCode::kNotFound
                                                              : StatusCode::kUnavailable;
    converted = Status(code, text);
  }
  switch (converted.code()) {
    case StatusCode::kUnimplemented:
    case StatusCode::kNotFound:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kResourceExhausted:
      break;
    default:
      converted = Unavailable(converted.message());
  }
  return converted.WithContext("PodResources " + call + " at " + socket);
}

}  // namespace

PodResourcesClient::PodResourcesClient(std::string socket_path, std::string resource)
    : socket_path_(std::move(socket_path)), resource_(std::move(resource)) {}

PodResourcesClient::~PodResourcesClient() = default;

std::shared_ptr<grpc::Channel> PodResourcesClient::Connection(bool& made) {
  MutexLock lock(mutex_);
  made = channel_ == nullptr;
  if (made) channel_ = UnixSocketChannel(socket_path_, kMaxMessageBytes);
  return channel_;
}

void PodResourcesClient::Forget(const std::shared_ptr<grpc::Channel>& channel) {
  MutexLock lock(mutex_);
  if (channel_ == channel) channel_.reset();
}

template <typename Call>
grpc::Status PodResourcesClient::Reach(SteadyTime deadline, const Call& call) {
  for (int attempt = 1;; ++attempt) {
    bool made = false;
    const std::shared_ptr<grpc::Channel> channel = Connection(made);
    const auto stub = v1::PodResourcesLister::NewStub(channel);
    grpc::ClientContext context;
    context.set_deadline(GrpcDeadline(deadline));
    const grpc::Status status = call(*stub, &context);
    const bool unreached = status.error_code() == grpc::StatusCode::UNAVAILABLE;
    // Whatever went wrong below the call, the next one does not wait for this connection.
    if (unreached || status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) Forget(channel);
    if (!unreached || made || attempt == 2) return status;
  }
}

Result<PodResourcesPod> PodResourcesClient::Get(const model::PodKey& key, SteadyTime deadline) {
  v1::GetPodResourcesRequest request;
  request.set_pod_name(key.name);
  request.set_pod_namespace(key.namespace_name);
  v1::GetPodResourcesResponse response;
  const grpc::Status status =
      Reach(deadline, [&](v1::PodResourcesLister::Stub& stub, grpc::ClientContext* context) {
        return stub.Get(context, request, &response);
      });
  if (!status.ok()) return ToStatus(status, "Get of " + key.ToString(), socket_path_);
  return ToPod(response.pod_resources(), resource_);
}

Result<std::vector<PodResourcesPod>> PodResourcesClient::List(SteadyTime deadline) {
  v1::ListPodResourcesResponse response;
  const grpc::Status status =
      Reach(deadline, [&](v1::PodResourcesLister::Stub& stub, grpc::ClientContext* context) {
        return stub.List(context, v1::ListPodResourcesRequest(), &response);
      });
  if (!status.ok()) return ToStatus(status, "List", socket_path_);
  std::vector<PodResourcesPod> pods;
  pods.reserve(static_cast<std::size_t>(response.pod_resources_size()));
  for (const v1::PodResources& pod : response.pod_resources()) {
    pods.push_back(ToPod(pod, resource_));
  }
  return pods;
}

}  // namespace aliquot::agent
