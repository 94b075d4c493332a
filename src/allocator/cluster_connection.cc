// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_connection.h"

#include <utility>

#include "allocator/api_server_connection.h"
#include "allocator/cluster_file.h"
#include "allocator/file_cluster.h"

namespace aliquot::allocator {
namespace {

class FileConnection final : public ClusterConnection {
 public:
  FileConnection(FileClusterState state, observability::Log& log)
      : cluster_(std::move(state), log) {}

  void Start(model::ClusterObserver& observer) override { cluster_.Start(observer); }
  void Stop() override { cluster_.Stop(); }
  model::ClusterWriter& writer() override { return cluster_; }
  kubeclient::Transport* transport() override { return nullptr; }
  std::string own_username() const override { return {}; }

 private:
  FileCluster cluster_;
};

}  // namespace

std::unique_ptr<ClusterConnection> ConnectCluster(const Configuration& configuration,
                                                  const Clock& clock,
                                                  observability::Metrics& metrics,
                                                  observability::Log& log,
                                                  program::Problems& problems) {
  if (configuration.cluster_file.empty()) {
    return ConnectApiServer(configuration, clock, metrics, log, problems);
  }
  auto state = LoadClusterFile(configuration.cluster_file, configuration.resource_names, problems);
  if (!state) {
    return nullptr;
  }
  return std::make_unique<FileConnection>(*std::move(state), log);
}

}  // namespace aliquot::allocator
