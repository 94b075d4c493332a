// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node's topology as text: its devices as a tree, and the link of each pair of cards. ASCII but
// for names from the source. Pure, thread-safe.

#include <string>

#include "topology/description.h"
#include "topology/node_topology.h"

namespace aliquot::cli {

std::string DrawTopologyText(const topology::Description& description,
                             const topology::NodeTopology& topology);

}  // namespace aliquot::cli
