// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/kubelet_registration.h"

#include <grpcpp/client_context.h>

#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/grpc_status.h"
#include "deviceplugin/v1beta1/api.grpc.pb.h"

namespace aliquot::agent {
namespace {

constexpr int kMaxMessageBytes = 64 * 1024;  // the answer is empty

}  // namespace

Status RegisterWithKubelet(const std::string& kubelet_socket, const RegistrationRequest& request,
                           SteadyTime deadline, kubeclient::Cancellation& cancellation) {
  v1beta1::RegisterRequest message;
  message.set_version("v1beta1");
  message.set_endpoint(request.endpoint);
  message.set_resource_name(request.resource);
  message.mutable_options()->set_pre_start_required(request.pre_start_required);

  const auto stub =
      v1beta1::Registration::NewStub(UnixSocketChannel(kubelet_socket, kMaxMessageBytes));
  grpc::ClientContext context;
  context.set_deadline(GrpcDeadline(deadline));
  kubeclient::Cancellation::Waker waker(cancellation, [&context] { context.TryCancel(); });
  v1beta1::Empty answer;
  const Status status = FromGrpc(stub->Register(&context, message, &answer));
  if (status.ok()) return status;
  return status.WithContext("the kubelet at " + kubelet_socket + " did not register " +
                            request.resource);
}

}  // namespace aliquot::agent
