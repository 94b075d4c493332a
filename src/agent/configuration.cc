// SPDX-License-Identifier: Apache-2.0
#include "agent/configuration.h"

#include <set>

#include "agent/configuration_fields.h"
#include "base/strings.h"
#include "program/configuration_rules.h"

namespace aliquot::agent {
namespace {

class Checker {
 public:
  Checker(const Configuration& configuration, const program::Origins& origins,
          program::Problems& problems)
      : c_(configuration), rules_(origins, problems) {}

  void CheckAll() {
    rules_.CheckResourceNames(c_.resource_names);
    rules_.CheckMonitorAddress("listen.monitor", c_.listen_monitor);
    CheckNode();
    CheckGpus();
    CheckPaths();
    CheckDelivery();
    CheckAuthenticated();
  }

 private:
  void CheckNode() {
    if (c_.node_name.empty()) {
      rules_.Complain("nodeName",
                      "is empty and so is NODE_NAME of the environment; give the node's name here "
                      "or with --node-name");
    }
  }

  void CheckGpus() {
    const bool simulated = c_.gpu.backend == "simulated";
    if (simulated && c_.gpu.profile.empty()) {
      rules_.Complain("gpu.profile",
                      "is empty although gpu.backend is simulated; give a machine profile");
    }
    if (!simulated && !c_.gpu.profile.empty()) {
      rules_.Complain("gpu.profile", "is \"" + Printable(c_.gpu.profile) +
                                         "\" although gpu.backend is " + c_.gpu.backend +
                                         "; leave it out, or set gpu.backend to simulated");
    }
    std::set<std::string> seen;
    for (const std::string& uuid : c_.cards.include) {
      if (uuid.empty() || !seen.insert(uuid).second) {
        rules_.Complain("cards.include", "holds \"" + Printable(uuid) +
                                             "\" twice or empty; name each card's UUID once");
      }
    }
  }

  void RequireAbsolute(std::string_view key, const std::string& path) {
    // Mount sources and the runtime's own rules allow neither a relative path nor "..".
    if (path.empty() || path.front() != '/' || (path + "/").find("/../") != std::string::npos) {
      rules_.Complain(key, "is \"" + Printable(path) + "\"; give an absolute path without \"..\"");
    }
  }

  void CheckPaths() {
    RequireAbsolute("grant.stateDirectory", c_.grant.state_directory);
    RequireAbsolute("grant.dataDirectory", c_.grant.data_directory);
    RequireAbsolute("grant.cdiDirectory", c_.grant.cdi_directory);
    RequireAbsolute("gpu.driverRoot", c_.gpu.driver_root);
    RequireAbsolute("gpu.deviceRoot", c_.gpu.device_root);
    RequireAbsolute("kubelet.pluginDirectory", c_.kubelet.plugin_directory);
    RequireAbsolute("kubelet.podResourcesSocket", c_.kubelet.pod_resources_socket);
  }

  void CheckDelivery() {
    if (c_.driver_delivery == "cdi" && c_.grant.mode == "devdir") {
      rules_.Complain("driver.delivery",
                      "is cdi although grant.mode is devdir; set grant.mode to cdi, or "
                      "driver.delivery to mirror");
    }
  }

  void CheckAuthenticated() {
    const bool on = !c_.listen_authenticated.empty();
    if (on) {
      rules_.CheckListenAddress("listen.authenticated", c_.listen_authenticated);
    }
    const bool certificate = !c_.tls.certificate_file.empty();
    const bool key = !c_.tls.key_file.empty();
    if (certificate != key) {
      rules_.Complain(certificate ? "tls.keyFile" : "tls.certificateFile",
                      std::string("is empty although tls.") +
                          (certificate ? "certificateFile" : "keyFile") +
                          " is given; give both, or neither for a certificate made at start");
    } else if (certificate && !on) {
      rules_.Complain("tls.certificateFile",
                      "is given although listen.authenticated is empty; give its address, such as "
                      "\":8443\", or leave the certificate out");
    }
  }

  const Configuration& c_;
  program::ConfigurationRules rules_;
};

}  // namespace

void LoadConfiguration(const std::string& file, const std::string& node,
                       Configuration& configuration, program::Origins& origins,
                       program::Problems& problems) {
  Configuration unused = configuration;
  program::NodeOverrides overrides;
  overrides.node = node;
  overrides.unused = [&](program::FieldVisitor& visitor) { VisitFields(unused, visitor); };
  program::ReadConfigurationFile(
      file, kConfigurationKind,
      [&](program::FieldVisitor& visitor) { VisitFields(configuration, visitor); }, origins,
      problems, &overrides);
}

void CheckConfiguration(const Configuration& configuration, const program::Origins& origins,
                        program::Problems& problems) {
  Configuration copy = configuration;  // the visitors share one signature; this one changes nothing
  program::RefuseControlCharacters(
      [&](program::FieldVisitor& visitor) { VisitFields(copy, visitor); }, origins, problems);
  Checker(configuration, origins, problems).CheckAll();
}

std::string PrintConfiguration(const Configuration& configuration) {
  Configuration copy = configuration;
  return program::PrintFields(kConfigurationKind,
                              [&](program::FieldVisitor& visitor) { VisitFields(copy, visitor); });
}

}  // namespace aliquot::agent
