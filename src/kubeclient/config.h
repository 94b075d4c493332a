// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

// Where the API server is and how to prove who we are. Plain values; files named here are read
// later, and again when they change (credentials.h). Source of the in-cluster convention:
// kubernetes.io/docs/tasks/run-application/access-api-from-pod.

namespace aliquot::kubeclient {

// PEM text or a token, given in place or by a file. `data` wins over `file`, as in kubectl.
struct Secret {
  std::string data;
  std::string file;

  bool empty() const { return data.empty() && file.empty(); }
};

// A credential plugin: users[].user.exec of a kubeconfig (exec_credential.h).
struct ExecPlugin {
  enum class Interactive { kNever, kIfAvailable, kAlways };

  std::string where;    // the place in the kubeconfig that begins a sentence about it
  std::string command;  // a path when it holds a slash, else to be found by PATH
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  // added to this process's
  std::string api_version;
  std::string install_hint;
  Interactive interactive = Interactive::kIfAvailable;
  bool provide_cluster_info = false;
  std::string cluster_config;  // JSON, the cluster's own part for plugins; "" = none
};

// Whom the server is asked to take us for.
// Source: kubernetes.io/docs/reference/access-authn-authz/user-impersonation.
struct Impersonation {
  std::string user;  // "" = nobody, and the rest is empty
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::string>> extra;  // a key may come several times
};

struct ClientConfig {
  std::string server;            // "https://host:port", perhaps with a path; no trailing slash
  std::string tls_server_name;   // the name the certificate must carry; "" = the host of `server`
  Secret certificate_authority;  // empty = the system's
  Secret client_certificate;     // with client_key, or neither
  Secret client_key;
  Secret token;
  std::optional<ExecPlugin> exec;  // only without a token and a client certificate
  std::string proxy_url;           // http, https or socks5; may hold a password; "" = none
  Impersonation impersonation;
  std::string namespace_name;  // "default" where nothing names one
};

// What a pod finds in its environment. Tests pass their own.
struct InClusterEnvironment {
  std::string host;
  std::string port;
  std::string root = "/var/run/secrets/kubernetes.io/serviceaccount";

  // KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT of this process.
  static InClusterEnvironment FromProcess();
};

// The service account's configuration. Says what is missing when this is not a pod.
Result<ClientConfig> LoadInCluster(const InClusterEnvironment& environment);

// Rules that hold wherever the configuration came from: https (http only to this machine and
// without credentials), a certificate only with its key, a port in range, a proxy that we can ask.
Status CheckClientConfig(const ClientConfig& config);

}  // namespace aliquot::kubeclient
