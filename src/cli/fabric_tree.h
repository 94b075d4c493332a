// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fabric as a tree for drawing: NUMA nodes above host bridges above switches above cards and
// NICs. Pure, thread-safe.

#include <vector>

#include "topology/fabric.h"

namespace aliquot::cli {

struct FabricTree {
  // Positions in Fabric::vertices: the tops, NUMA nodes first, by their index.
  std::vector<int> roots;
  std::vector<std::vector<int>> children;  // by vertex
  // NVSwitches stand beside the tree.
  std::vector<int> nvswitches;
  // Positions in Fabric::wires that the tree does not show.
  std::vector<int> other_wires;
};

FabricTree TreeOf(const topology::Fabric& fabric);

}  // namespace aliquot::cli
