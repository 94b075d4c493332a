// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>

#include "kubeclient/config.h"

// One named entry of a kubeconfig's lists, in terms of ClientConfig. For kubeconfig.cc alone. Pure.

namespace aliquot::kubeclient {

// Thrown here and caught in kubeconfig.cc: a sentence about one field.
struct KubeconfigRefusal {
  std::string message;
};

struct KubeconfigEntry {
  YAML::Node map;
  std::string where;           // begins a sentence: kubeconfig /x: users "y"
  std::string file;            // the same without the entry: kubeconfig /x
  std::filesystem::path base;  // of relative paths
};

// "" for a field that is missing or null.
std::string TextOf(const YAML::Node& map, const std::string& key, const std::string& where);

// `for_person`: as KubeconfigOptions has it.
void ReadCluster(const KubeconfigEntry& cluster, bool for_person, ClientConfig& config);
// Pre: the cluster has been read.
void ReadUser(const KubeconfigEntry& user, bool for_person, ClientConfig& config);
// What a cluster has for plugins: JSON, or "".
std::string PluginConfigOf(const KubeconfigEntry& cluster);

}  // namespace aliquot::kubeclient
