// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/https_client.h"

namespace aliquot::bench {

struct LoadOptions {
  Endpoint endpoint;
  int nodes = 5000;
  int pods = 100;             // per run
  std::string uid_prefix;     // new in every run: no answer may come from a cache
  bool with_baseline = true;  // time the plain filter on the same bodies, in between
};

// Drives filter, prioritize and bind as kube-scheduler would: pod by pod, every pod a new UID, a
// bind between any two filters. Returns
// {"filter":{server_us,client_us},..,"baseline_filter_us":..,"pods_per_second":..}.
nlohmann::json RunSerial(const LoadOptions& options);

// The same with filters and prioritizes one after the other and up to 16 binds at the same time,
// each on its own connection, as kube-scheduler's bind goroutines have. Returns pods per second.
double RunParallelBinds(const LoadOptions& options);

}  // namespace aliquot::bench
