// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/plugin_server.h"

#include <grpc/grpc.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/grpc_status.h"
#include "agent/plugin/plugin_socket.h"

namespace aliquot::agent {
namespace {

// A call holds a thread while the desk works. Calls past kMaxCalls wait inside the kubelet's client
// (HTTP/2's limit of streams); kMaxThreads leaves room above it, since gRPC refuses a call that it
// has no thread for. Threads exist only while they work.
constexpr int kMaxCalls = 100;
constexpr int kMaxThreads = 128;
constexpr int kMaxMessageBytes = 16 * 1024 * 1024;
constexpr std::chrono::seconds kSelfDialTimeout{5};
constexpr std::chrono::seconds kDrain{2};

std::unique_ptr<grpc::Server> Listen(const std::string& path, DevicePluginService& service) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCalls);
  // One thread waits for calls, however many cores the machine has.
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 1);
  grpc::ResourceQuota quota("aliquot-plugin");
  quota.SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
  return builder.BuildAndStart();
}

// The kubelet is told of a socket only after it was seen to answer.
Status SelfDial(const std::string& path) {
  const auto stub = v1beta1::DevicePlugin::NewStub(UnixSocketChannel(path, kMaxMessageBytes));
  grpc::ClientContext context;
  context.set_deadline(GrpcDeadline(std::chrono::steady_clock::now() + kSelfDialTimeout));
  v1beta1::DevicePluginOptions options;
  return FromGrpc(stub->GetDevicePluginOptions(&context, v1beta1::Empty(), &options));
}

}  // namespace

PluginServer::PluginServer(std::string directory, std::string endpoint, DeviceListFeed& feed)
    : endpoint_(std::move(endpoint)), path_(std::move(directory) + "/" + endpoint_), feed_(feed) {}

Result<std::unique_ptr<PluginServer>> PluginServer::Start(const std::string& directory,
                                                          const std::string& endpoint,
                                                          DevicePluginService& service,
                                                          DeviceListFeed& feed) {
  const Status usable = CheckSocketDirectory(directory, endpoint);
  if (!usable.ok()) return usable;
  std::unique_ptr<PluginServer> server(new PluginServer(directory, endpoint, feed));
  feed.Open();
  server->server_ = Listen(server->path_, service);
  if (server->server_ == nullptr) {
    return Unavailable("the device plugin cannot listen on " + server->path_ +
                       "; the kubelet's directory must be writable and the path not in use");
  }
  // Who can connect could fill grants; the kubelet is root.
  ::chmod(server->path_.c_str(), S_IRUSR | S_IWUSR);
  const Status answered = SelfDial(server->path_);
  if (!answered.ok()) {
    return answered.WithContext("the device plugin does not answer on its own socket " +
                                server->path_);
  }
  return server;
}

PluginServer::~PluginServer() {
  feed_.Close();
  if (server_ != nullptr) {
    server_->Shutdown(std::chrono::system_clock::now() + kDrain);
    server_->Wait();
    server_.reset();
  }
  ::unlink(path_.c_str());
}

bool PluginServer::socket_present() const { return FindSocket(path_).has_value(); }

}  // namespace aliquot::agent
