// SPDX-License-Identifier: Apache-2.0
#include "agent/flags.h"

#include <CLI/CLI.hpp>

namespace aliquot::agent {

Result<Flags> ParseFlags(int argc, const char* const* argv) {
  Flags flags;
  CLI::App app("Hands the cards that were chosen for a container to it, on one node.",
               "aliquot-agent");
  app.add_option("--kubeconfig", flags.kubeconfig,
                 "how to reach the API server; without it: the pod's service account")
      ->type_name("FILE");
  app.add_option("--node-name", flags.node_name, "the node this runs on (NODE_NAME)")
      ->type_name("NAME");
  app.add_option("--monitor-listen", flags.monitor_listen,
                 "health, metrics and grants, plain HTTP on loopback (127.0.0.1:8082)")
      ->type_name("ADDR");
  app.add_option("--addresses-file", flags.addresses_file,
                 "write the addresses really bound here, as JSON")
      ->type_name("FILE");
  app.add_option("--log-level", flags.log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->type_name("LEVEL");
  if (Status status = program::ParseFlagsWithActions(app, argc, argv, flags.common); !status.ok()) {
    return status;
  }
  return flags;
}

void ConfigureFrom(const Flags& flags, const std::string& environment_node_name,
                   Configuration& configuration, program::Origins& origins,
                   program::Problems& problems) {
  if (!flags.common.config.empty()) {
    LoadConfiguration(flags.common.config, flags.node_name.value_or(environment_node_name),
                      configuration, origins, problems);
  }
  const auto override = [&origins](const std::optional<std::string>& given, std::string& value,
                                   const char* key, const char* from) {
    if (given) {
      value = *given;
      origins[key] = from;
    }
  };
  Configuration& c = configuration;
  if (c.node_name.empty() && !environment_node_name.empty()) {
    override(environment_node_name, c.node_name, "nodeName", "NODE_NAME");
  }
  override(flags.kubeconfig, c.kubeconfig, "kubeconfig", "--kubeconfig");
  override(flags.node_name, c.node_name, "nodeName", "--node-name");
  override(flags.monitor_listen, c.listen_monitor, "listen.monitor", "--monitor-listen");
  override(flags.addresses_file, c.addresses_file, "addressesFile", "--addresses-file");
  override(flags.log_level, c.log_level, "log.level", "--log-level");
}

}  // namespace aliquot::agent
