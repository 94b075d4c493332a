// SPDX-License-Identifier: Apache-2.0
#pragma once

// The flags of `aliquotctl simulate`, and what its kinds of run have in common.

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/cluster_connection.h"
#include "cli/verb.h"

namespace aliquot::cli {

// Pods arrive until they ask for so many times the cluster's GPUs, as in the published experiment.
inline constexpr double kDefaultArrivals = 1.3;

struct SimulateFlags {
  std::string format = "openb";
  std::string nodes;
  std::string topology;
  std::vector<std::string> pods;
  std::vector<std::string> matrices;  // WHICH=FILE
  std::optional<std::string> policy;
  std::optional<std::string> seed;
  std::optional<std::string> seeds;
  std::optional<double> arrivals;  // kDefaultArrivals
  std::optional<double> churn;
  bool unseen_cpu_pods = false;
  int threads = 2;
  std::optional<std::string> output;
  std::string plot;

  std::string pod;
  ClusterFlags cluster;
  std::string cluster_file;  // instead

  bool wants_json() const { return output.value_or("json") == "json"; }
};

// One kind of run a file.
Status SimulateOpenb(const SimulateFlags& flags, Streams& streams);
Status SimulateChurn(const SimulateFlags& flags, Streams& streams);
Status SimulatePod(const SimulateFlags& flags, Streams& streams);
Status SimulateMapa(const SimulateFlags& flags, Streams& streams);

}  // namespace aliquot::cli
