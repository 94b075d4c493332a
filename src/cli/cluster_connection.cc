// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_connection.h"

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "kubeclient/config.h"
#include "kubeclient/kubeconfig.h"
#include "observability/build_info.h"

namespace aliquot::cli {
namespace {

Result<std::string> KubeconfigPath(const std::string& given) {
  if (!given.empty()) {
    return given;
  }
  const char* named = std::getenv("KUBECONFIG");
  if (named != nullptr && *named != '\0') {
    const std::string path = named;
    if (path.find(':') != std::string::npos) {
      return InvalidArgument(
          "KUBECONFIG names several files, which are not joined here; give one with --kubeconfig");
    }
    return path;
  }
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return InvalidArgument("there is no kubeconfig; give one with --kubeconfig");
  }
  return std::string(home) + "/.kube/config";
}

}  // namespace

Result<kubeclient::ClientConfig> LoadClientConfig(const ClusterFlags& flags) {
  if (flags.in_cluster) {
    return kubeclient::LoadInCluster(kubeclient::InClusterEnvironment::FromProcess());
  }
  const auto path = KubeconfigPath(flags.kubeconfig);
  if (!path.ok()) {
    return path.status();
  }
  auto config = kubeclient::LoadKubeconfig(*path, flags.context);
  if (!config.ok() && config.status().code() == StatusCode::kNotFound) {
    return NotFound(config.status().message() + "; name another one with --kubeconfig");
  }
  return config;
}

void AddClusterFlags(CLI::App& verb, ClusterFlags& flags, bool in_cluster) {
  CLI::Option* kubeconfig =
      verb.add_option("--kubeconfig", flags.kubeconfig, "the cluster (KUBECONFIG, ~/.kube/config)")
          ->type_name("FILE");
  CLI::Option* context =
      verb.add_option("--context", flags.context, "of the kubeconfig (its current one)")
          ->type_name("NAME");
  if (in_cluster) {
    verb.add_flag("--in-cluster", flags.in_cluster, "by this pod's service account")
        ->excludes(kubeconfig)
        ->excludes(context);
  }
}

Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const kubeclient::ClientConfig& config,
                                                           const Clock& clock) {
  kubeclient::TransportOptions options;
  options.user_agent = "aliquotctl/" + std::string(observability::Version());
  return kubeclient::CurlTransport::Create(config, clock, options);
}

Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const ClusterFlags& flags,
                                                           const Clock& clock) {
  const auto config = LoadClientConfig(flags);
  return config.ok() ? Connect(*config, clock) : config.status();
}

}  // namespace aliquot::cli
