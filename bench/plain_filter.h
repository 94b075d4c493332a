// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "bench/bench_cluster.h"

namespace aliquot::bench {

// The filter as one would first write it: the body into a JSON tree, a look at every card of every
// node, the answer from a JSON tree. It answers single shares and whole cards, which is all that it
// is timed on; the baseline of the benchmark, in the same run and on the same bodies.
class PlainFilter {
 public:
  explicit PlainFilter(int nodes);
  std::string Filter(const std::string& body) const;

 private:
  std::unordered_map<std::string, std::vector<BenchCard>> cards_of_node_;
};

}  // namespace aliquot::bench
