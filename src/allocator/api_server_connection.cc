// SPDX-License-Identifier: Apache-2.0
#include "allocator/api_server_connection.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "allocator/api_observers.h"
#include "allocator/own_username.h"
#include "kubeclient/cluster_source.h"
#include "kubeclient/cluster_writer.h"
#include "kubeclient/config.h"
#include "kubeclient/curl_transport.h"
#include "kubeclient/kubeconfig.h"

namespace aliquot::allocator {
namespace {

// The pod's name in a cluster.
std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) {
    return "aliquot-allocator";
  }
  return name.data();
}

kubeclient::ClusterWriterOptions WriterOptions(const Configuration& configuration) {
  kubeclient::ClusterWriterOptions options;
  options.names = configuration.resource_names;
  options.reporting_instance = HostName();
  return options;
}

class ApiServerConnection final : public ClusterConnection {
 public:
  ApiServerConnection(const Configuration& configuration, std::string own_username,
                      std::unique_ptr<kubeclient::CurlTransport> transport, const Clock& clock,
                      observability::Metrics& metrics, observability::Log& log)
      : clock_(clock),
        own_username_(std::move(own_username)),
        call_metrics_(metrics),
        watch_observer_(metrics, log),
        transport_(std::move(transport)),
        writer_(WriterOptions(configuration), *transport_, clock, &call_metrics_) {
    source_options_.names = configuration.resource_names;
    source_options_.unlabelled_scan_period =
        std::chrono::duration_cast<std::chrono::seconds>(configuration.watch.full_list_interval);
    source_options_.watch.page_limit = static_cast<int>(configuration.watch.page_size);
  }

  void Start(model::ClusterObserver& observer) override {
    source_ = std::make_unique<kubeclient::ClusterSource>(source_options_, *transport_, clock_,
                                                          observer, watch_observer_);
    source_->Start();
  }
  void Stop() override {
    if (source_ != nullptr) {
      source_->Stop();
    }
  }
  model::ClusterWriter& writer() override { return writer_; }
  kubeclient::Transport* transport() override { return transport_.get(); }
  std::string own_username() const override { return own_username_; }

 private:
  const Clock& clock_;
  const std::string own_username_;
  kubeclient::ClusterSourceOptions source_options_;
  ApiCallMetrics call_metrics_;
  WatchObserver watch_observer_;
  std::unique_ptr<kubeclient::CurlTransport> transport_;
  kubeclient::ClusterWriter writer_;
  std::unique_ptr<kubeclient::ClusterSource> source_;
};

}  // namespace

std::unique_ptr<ClusterConnection> ConnectApiServer(const Configuration& configuration,
                                                    const Clock& clock,
                                                    observability::Metrics& metrics,
                                                    observability::Log& log,
                                                    program::Problems& problems) {
  const bool in_cluster = configuration.kubeconfig.empty();
  const auto config =
      in_cluster ? kubeclient::LoadInCluster(kubeclient::InClusterEnvironment::FromProcess())
                 : kubeclient::LoadKubeconfig(configuration.kubeconfig);
  if (!config.ok()) {
    problems.Add(in_cluster ? "in-cluster configuration" : "kubeconfig", config.status().message());
    return nullptr;
  }
  auto transport = kubeclient::CurlTransport::Create(*config, clock);
  if (!transport.ok()) {
    problems.Add("API server credentials", transport.status().message());
    return nullptr;
  }
  return std::make_unique<ApiServerConnection>(configuration, OwnUsername(*config),
                                               *std::move(transport), clock, metrics, log);
}

}  // namespace aliquot::allocator
