// SPDX-License-Identifier: Apache-2.0
#pragma once

// A node's topology as a picture: cards and NICs in a row, switches, host bridges and NUMA nodes
// below, NVLinks and NVSwitches above. Pure, thread-safe.

#include <string>
#include <string_view>

#include "topology/card_set.h"
#include "topology/description.h"
#include "topology/node_topology.h"

namespace aliquot::cli {

// `chosen`: cards that are marked.
std::string DrawTopologySvg(const topology::Description& description,
                            const topology::NodeTopology& topology, std::string_view title,
                            topology::CardSet chosen);

}  // namespace aliquot::cli
