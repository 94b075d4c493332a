// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <grpcpp/server.h>

#include <functional>
#include <memory>
#include <string>

#include "deviceplugin/v1beta1/api.grpc.pb.h"
#include "podresources/v1/api.grpc.pb.h"

namespace aliquot::test {

// The fake kubelet's two gRPC services; what they answer is given as functions. The functions must
// be thread-safe.
class FakeRegistrationService final : public v1beta1::Registration::Service {
 public:
  using Handler = std::function<grpc::Status(const v1beta1::RegisterRequest&)>;
  explicit FakeRegistrationService(Handler handler) : handler_(std::move(handler)) {}

  grpc::Status Register(grpc::ServerContext* context, const v1beta1::RegisterRequest* request,
                        v1beta1::Empty* response) override;

 private:
  const Handler handler_;
};

class FakePodResourcesService final : public v1::PodResourcesLister::Service {
 public:
  using Lister = std::function<grpc::Status(v1::ListPodResourcesResponse&)>;
  using Getter =
      std::function<grpc::Status(const v1::GetPodResourcesRequest&, v1::GetPodResourcesResponse&)>;
  FakePodResourcesService(Lister lister, Getter getter)
      : lister_(std::move(lister)), getter_(std::move(getter)) {}

  grpc::Status List(grpc::ServerContext* context, const v1::ListPodResourcesRequest* request,
                    v1::ListPodResourcesResponse* response) override;
  grpc::Status Get(grpc::ServerContext* context, const v1::GetPodResourcesRequest* request,
                   v1::GetPodResourcesResponse* response) override;

 private:
  const Lister lister_;
  const Getter getter_;
};

// A server on a unix socket that stays on disk when the server ends, as a Go program's does that is
// killed.
class FakeUnixServer {
 public:
  FakeUnixServer(std::string path, grpc::Service& service);
  ~FakeUnixServer();
  bool up() const { return server_ != nullptr; }

 private:
  const std::string path_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace aliquot::test
