// SPDX-License-Identifier: Apache-2.0
#pragma once

// The configuration by which a stock kube-scheduler (1.32 and newer) places GPU pods through the
// allocator, as commented YAML. One text for all who need it: config/kube-scheduler.yaml, the
// bundled scheduler and `aliquotctl scheduler-config`. Pure. Source of the fields:
// kubernetes.io/docs/reference/config-api/kube-scheduler-config.v1.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::cli {

inline constexpr std::string_view kExtenderService = "aliquot-extender";
inline constexpr std::uint16_t kExtenderPort = 8443;

// How kube-scheduler and allocator prove themselves to each other: three paths, or three base64
// texts that stand in the file itself.
struct ExtenderCertificates {
  bool inline_data = false;
  std::string authority;
  std::string certificate;
  std::string key;
};

struct SchedulerConfig {
  std::string address;      // "host:port" of Service aliquot-extender; an IPv6 host in brackets
  std::string server_name;  // what the allocator's certificate must hold
  ExtenderCertificates certificates;
  std::string core_resource = "tencent.com/vcuda-core";
  std::string memory_resource = "tencent.com/vcuda-memory";

  // Of a whole file only.
  std::string kubeconfig;       // "": the service account of its pod
  std::string scheduler_name;   // "": default-scheduler
  std::string lease_namespace;  // "": kube-scheduler's own lease; else one named lease_name there
  std::string lease_name;
  std::string introduction;  // comment lines at the top, each with "# "
};

// Names that can stand in YAML as they are, and what must not be empty.
Status CheckSchedulerConfig(const SchedulerConfig& config);

// percentageOfNodesToScore and the list `extenders`, to merge into a file that is there.
std::string ExtenderStanza(const SchedulerConfig& config);
// A whole KubeSchedulerConfiguration.
std::string SchedulerConfigFile(const SchedulerConfig& config);

}  // namespace aliquot::cli
