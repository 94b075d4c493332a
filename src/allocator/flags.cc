// SPDX-License-Identifier: Apache-2.0
#include "allocator/flags.h"

#include <CLI/CLI.hpp>

namespace aliquot::allocator {
namespace {

void DescribeValues(CLI::App& app, Flags& flags) {
  app.add_option(
         "--kubeconfig", flags.kubeconfig,
         "how to reach the API server; neither this nor --cluster: the pod's service account")
      ->type_name("FILE");
  app.add_option("--cluster", flags.cluster, "run on this cluster file instead of an API server")
      ->type_name("FILE");
  app.add_option("--extender-listen", flags.extender_listen,
                 "scheduler verbs, HTTPS with client certificates (:8443)")
      ->type_name("ADDR");
  app.add_option("--admission-listen", flags.admission_listen, "webhooks, HTTPS (:8444)")
      ->type_name("ADDR");
  app.add_option("--monitor-listen", flags.monitor_listen,
                 "health, metrics and explain, plain HTTP on loopback (127.0.0.1:8080)")
      ->type_name("ADDR");
  app.add_option("--addresses-file", flags.addresses_file,
                 "write the addresses really bound here, as JSON")
      ->type_name("FILE");
  app.add_option("--tls-cert", flags.tls_cert, "server certificate chain, PEM")->type_name("FILE");
  app.add_option("--tls-key", flags.tls_key, "its private key, PEM")->type_name("FILE");
  app.add_option("--client-ca", flags.client_ca, "CAs of the schedulers' client certificates, PEM")
      ->type_name("FILE");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")->type_name("LEVEL");
}

}  // namespace

Result<Flags> ParseFlags(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app("Places the GPU shares that Kubernetes pods ask for.", "aliquot-allocator");
  DescribeValues(app, flags);
  if (Status status = program::ParseFlagsWithActions(app, argc, argv, flags); !status.ok()) {
    return status;
  }
  return flags;
}

void ConfigureFrom(const Flags& flags, Configuration& configuration, program::Origins& origins,
                   program::Problems& problems) {
  if (!flags.config.empty()) {
    LoadConfiguration(flags.config, configuration, origins, problems);
  }
  const auto override = [&origins](const std::optional<std::string>& given, std::string& value,
                                   const char* key, const char* flag) {
    if (given) {
      value = *given;
      origins[key] = flag;
    }
  };
  Configuration& c = configuration;
  // Each of the two sources of the cluster replaces the other one's entry in the file.
  if (flags.cluster && !flags.kubeconfig) {
    c.kubeconfig.clear();
  } else if (flags.kubeconfig && !flags.cluster) {
    c.cluster_file.clear();
  }
  override(flags.kubeconfig, c.kubeconfig, "kubeconfig", "--kubeconfig");
  override(flags.cluster, c.cluster_file, "clusterFile", "--cluster");
  override(flags.extender_listen, c.listen.extender, "listen.extender", "--extender-listen");
  override(flags.admission_listen, c.listen.admission, "listen.admission", "--admission-listen");
  override(flags.monitor_listen, c.listen.monitor, "listen.monitor", "--monitor-listen");
  override(flags.addresses_file, c.addresses_file, "addressesFile", "--addresses-file");
  override(flags.tls_cert, c.tls.certificate_file, "tls.certificateFile", "--tls-cert");
  override(flags.tls_key, c.tls.key_file, "tls.keyFile", "--tls-key");
  override(flags.client_ca, c.tls.client_ca_file, "tls.clientCAFile", "--client-ca");
  override(flags.log_level, c.log_level, "log.level", "--log-level");
  if (flags.log_level && *flags.log_level != "debug" && *flags.log_level != "info" &&
      *flags.log_level != "warn" && *flags.log_level != "error") {
    problems.Add("--log-level", "log.level is \"" + *flags.log_level +
                                    "\"; choose among debug, info, warn, error");
  }
}

}  // namespace aliquot::allocator
