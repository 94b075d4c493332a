// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "program/configuration_document.h"
#include "program/problems.h"

namespace aliquot::agent {

// What aliquot-agent can be told, at its defaults. docs/reference/agent-configuration.md describes
// every key; VisitFields (configuration_fields.h) is the table of their names and bounds. Plain
// values.
struct Configuration {
  struct Gpu {
    std::string backend = "auto";   // auto, nvml, simulated, none
    std::string profile;            // simulated: the machine profile
    std::string state;              // simulated: the file that changes the machine while it runs
    std::string library;            // nvml: exactly this libnvidia-ml; empty: below driverRoot
    std::string driver_root = "/";  // where the driver's files are, as the agent sees it
    std::string device_root = "/dev";
    std::vector<int> ignored_xids{13, 31, 43, 45, 68, 109};
    std::chrono::milliseconds healthy_after{60000};
  };
  struct Cards {
    std::vector<std::string> include;  // UUIDs; where given, only these are ours
    std::string measured_links;        // a file of measured GB/s (docs/reference/topology-files.md)
  };
  struct Grant {
    std::string mode = "auto";  // auto, devdir, cdi
    std::string state_directory = "/run/aliquot";
    std::string data_directory = "/var/lib/aliquot";
    std::string cdi_directory = "/var/run/cdi";
    std::chrono::milliseconds orphan_grace{60000};
  };
  struct Enforcement {
    std::string on_overshoot = "report";  // report, kill
    bool allow_none = false;              // pods may ask for isolation none for a share
    std::int64_t context_mib = 512;       // of a process, beyond what it charged
  };
  struct Kubelet {
    std::string plugin_directory = "/var/lib/kubelet/device-plugins";
    std::string pod_resources_socket = "/var/lib/kubelet/pod-resources/kubelet.sock";
  };

  struct Tls {
    std::string certificate_file;  // empty: a certificate that nobody signed is made at start
    std::string key_file;
  };

  std::string node_name;  // empty: NODE_NAME of the environment
  std::string kubeconfig;
  model::ResourceNames resource_names;
  Gpu gpu;
  Cards cards;
  Grant grant;
  std::string driver_delivery = "mirror";  // mirror, cdi, none
  std::string library_path;                // libaliquot.so; empty: no enforcement
  Enforcement enforcement;
  std::string signing_public_keys;  // a PEM file or a directory of them; empty: not verified
  Kubelet kubelet;
  std::string startup_taint;
  std::string listen_monitor = "127.0.0.1:8082";
  std::string listen_authenticated;  // empty: off
  Tls tls;
  bool gpu_manager_pages = false;
  std::string addresses_file;
  std::chrono::milliseconds drain_timeout{10000};
  std::string log_level = "info";
};

inline constexpr std::string_view kConfigurationKind = "AgentConfiguration";

// Overwrites `configuration` with what the file says, and with its overrides for `node` (the name
// that a flag or the environment gives; the file's own nodeName chooses none). Thread-safe.
void LoadConfiguration(const std::string& file, const std::string& node,
                       Configuration& configuration, program::Origins& origins,
                       program::Problems& problems);

// The rules that join several values, or that a flag can break too. Opens no file and no socket.
void CheckConfiguration(const Configuration& configuration, const program::Origins& origins,
                        program::Problems& problems);

// The configuration as such a document: reading it gives the same configuration again.
std::string PrintConfiguration(const Configuration& configuration);

}  // namespace aliquot::agent
