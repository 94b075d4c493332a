// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which versions of Aliquot a cluster runs, by what its pods show of themselves. Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace aliquot::cli {

// So many pods of one part that run the same image.
struct VersionRow {
  std::string version;  // "unknown" where neither image nor label says it
  std::string image;
  int pods = 0;
};

struct ClusterVersions {
  // By version, then image.
  std::vector<VersionRow> allocators;
  std::vector<VersionRow> agents;
};

// Counts a pod of the installation; others, those that have ended and those that are being deleted
// are left out.
void CountPod(const nlohmann::json& pod, ClusterVersions& versions);

// One sentence when client, allocator and agents are not all of one version; else "".
std::string Skew(const std::string& client, const ClusterVersions& versions);

}  // namespace aliquot::cli
