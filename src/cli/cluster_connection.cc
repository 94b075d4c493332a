// SPDX-License-Identifier: Apache-2.0
#include "cli/cluster_connection.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/run_command.h"
#include "kubeclient/config.h"
#include "kubeclient/kubeconfig.h"
#include "observability/build_info.h"

namespace aliquot::cli {
namespace {

// Where kubeconfigs are looked for when no flag names one, in order.
std::vector<std::string> UsualPaths() {
  std::vector<std::string> paths;
  if (const char* named = std::getenv("KUBECONFIG"); named != nullptr && *named != '\0') {
    for (const std::string_view path : Split(named, ':')) {
      if (!path.empty()) {
        paths.emplace_back(path);
      }
    }
    return paths;
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    paths.push_back(std::string(home) + "/.kube/config");
  }
  return paths;
}

Result<kubeclient::ClientConfig> LoadKubeconfig(const ClusterFlags& flags) {
  kubeclient::KubeconfigOptions options;
  options.context = flags.context;
  options.for_person = true;
  const std::vector<std::string> paths = UsualPaths();
  if (flags.kubeconfig.empty() && paths.empty()) {
    return InvalidArgument("there is no kubeconfig; give one with --kubeconfig");
  }
  auto config = flags.kubeconfig.empty() ? kubeclient::LoadKubeconfigs(paths, options)
                                         : kubeclient::LoadKubeconfig(flags.kubeconfig, options);
  if (!config.ok() && config.status().code() == StatusCode::kNotFound) {
    return NotFound(config.status().message() + "; name another one with --kubeconfig");
  }
  return config;
}

}  // namespace

Result<kubeclient::ClientConfig> LoadClientConfig(const ClusterFlags& flags) {
  if (flags.as.user.empty() && !(flags.as.groups.empty() && flags.as.uid.empty())) {
    return InvalidArgument(
        "--as names nobody; give the user to whom --as-group and --as-uid belong");
  }
  auto config = flags.in_cluster
                    ? kubeclient::LoadInCluster(kubeclient::InClusterEnvironment::FromProcess())
                    : LoadKubeconfig(flags);
  if (config.ok() && !flags.as.user.empty()) {
    config->impersonation = flags.as;
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
  CLI::Option* as =
      verb.add_option("--as", flags.as.user, "ask as this user, whom you may impersonate")
          ->type_name("USER");
  verb.add_option("--as-group", flags.as.groups, "and this group; may be repeated")
      ->type_name("GROUP")
      ->needs(as);
  verb.add_option("--as-uid", flags.as.uid, "and this UID")->type_name("UID")->needs(as);
  if (in_cluster) {
    verb.add_flag("--in-cluster", flags.in_cluster, "by this pod's service account")
        ->excludes(kubeconfig)
        ->excludes(context);
  }
}

Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const kubeclient::ClientConfig& config,
                                                           const Clock& clock) {
  return Connect(config, clock, OwnPluginHost());
}

Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const kubeclient::ClientConfig& config,
                                                           const Clock& clock,
                                                           kubeclient::PluginHost plugins) {
  kubeclient::TransportOptions options;
  options.user_agent = "aliquotctl/" + std::string(observability::Version());
  options.plugin_host = std::move(plugins);
  return kubeclient::CurlTransport::Create(config, clock, options);
}

Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const ClusterFlags& flags,
                                                           const Clock& clock) {
  const auto config = LoadClientConfig(flags);
  return config.ok() ? Connect(*config, clock) : config.status();
}

}  // namespace aliquot::cli
