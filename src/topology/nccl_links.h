// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "topology/description.h"
#include "topology/nccl_element.h"
#include "topology/source_text.h"

namespace aliquot::topology {

// A card that the reader of NCCL's topology file found.
struct NcclCard {
  pugi::xml_node pci;
  std::string bus_id;
  std::int64_t dev = -1;
  int numa = -1;
  int vertex = 0;  // in the fabric
  int numa_vertex = 0;
};

// Adds the wires of the cards' <nvlink> and <c2c>, and notes on those that lead nowhere. The cards
// are in their final order.
Status AddNcclLinks(const SourceText& source, const std::vector<NcclCard>& cards,
                    Description& description);

}  // namespace aliquot::topology
