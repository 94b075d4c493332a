// SPDX-License-Identifier: Apache-2.0
#pragma once

// The flags by which a verb finds its cluster, and the connection that follows from them.

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/config.h"
#include "kubeclient/curl_transport.h"

namespace CLI {
class App;
}

namespace aliquot::cli {

struct ClusterFlags {
  std::string kubeconfig;  // "": KUBECONFIG, then ~/.kube/config
  std::string context;     // "": the kubeconfig's current one
  kubeclient::Impersonation as;
  bool in_cluster = false;
};

// --kubeconfig, --context and --as, and --in-cluster when the verb can run in a pod. The flags must
// outlive the parser.
void AddClusterFlags(CLI::App& verb, ClusterFlags& flags, bool in_cluster);

// Which cluster, whose credentials and which namespace the flags and the environment name. Several
// files of KUBECONFIG are taken as one. No credential plugin runs yet.
Result<kubeclient::ClientConfig> LoadClientConfig(const ClusterFlags& flags);
// Reads the credentials, by the kubeconfig's plugin where it names one; asks nothing of the server
// yet. The clock must outlive it.
Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const kubeclient::ClientConfig& config,
                                                           const Clock& clock);
// The same, with plugins run as the host does.
Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const kubeclient::ClientConfig& config,
                                                           const Clock& clock,
                                                           kubeclient::PluginHost plugins);
Result<std::unique_ptr<kubeclient::CurlTransport>> Connect(const ClusterFlags& flags,
                                                           const Clock& clock);

}  // namespace aliquot::cli
