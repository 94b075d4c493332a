// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace aliquot::bench {

// One container's demand as a user writes it.
struct Ask {
  int core = 0;
  int memory = 0;
};

// What a benchmark pod asks for: app containers, and an init container where `init.core` is above
// zero.
struct PodShape {
  std::vector<Ask> apps;
  Ask init;
};

// At least fifty different shapes, shares and whole cards mixed: mostly single shares, as users
// ask.
std::vector<PodShape> PodShapes();

// The pod as kube-scheduler sends it: JSON of a full Pod object with the usual volumes and
// tolerations.
std::string PodJson(const PodShape& shape, const std::string& name, const std::string& uid);

// The body of a filter or prioritize call with nodeCacheCapable.
std::string ExtenderArgs(const std::string& pod_json, const std::string& node_names_json);

}  // namespace aliquot::bench
