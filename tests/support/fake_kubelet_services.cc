// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_kubelet_services.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <cstdio>

namespace aliquot::test {

grpc::Status FakeRegistrationService::Register(grpc::ServerContext*,
                                               const v1beta1::RegisterRequest* request,
                                               v1beta1::Empty*) {
  return handler_(*request);
}

grpc::Status FakePodResourcesService::List(grpc::ServerContext*, const v1::ListPodResourcesRequest*,
                                           v1::ListPodResourcesResponse* response) {
  return lister_(*response);
}

grpc::Status FakePodResourcesService::Get(grpc::ServerContext*,
                                          const v1::GetPodResourcesRequest* request,
                                          v1::GetPodResourcesResponse* response) {
  return getter_(*request, *response);
}

FakeUnixServer::FakeUnixServer(std::string path, grpc::Service& service) : path_(std::move(path)) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + path_, grpc::InsecureServerCredentials());
  builder.RegisterService(&service);
  server_ = builder.BuildAndStart();
}

FakeUnixServer::~FakeUnixServer() {
  if (server_ == nullptr) return;
  // gRPC removes the socket at the path where it was made.
  const std::string aside = path_ + ".aside";
  std::rename(path_.c_str(), aside.c_str());
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  server_.reset();
  std::rename(aside.c_str(), path_.c_str());
}

}  // namespace aliquot::test
