// SPDX-License-Identifier: Apache-2.0
#pragma once

// One row of `nvidia-smi topo -m`: its cells, also where separators are missing or affinity cells
// are empty. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/smi_header.h"

namespace aliquot::topology {

struct SmiRow {
  std::size_t device = 0;          // index in the header
  std::vector<std::string> cells;  // "X" or a link class, at most one for each device
  std::string cpu_affinity;        // empty = none given
  std::string numa_affinity;       // empty = none given
  // The cell past the last device that is a link class again; empty when the row is no longer than
  // its header.
  std::string surplus;
};

// Length of the cell at the front of `text`: X, a link class, or NV and a number of links. 0 =
// none. "NV1812-23" is NV18, since no card has 1812 links.
std::size_t CellLength(std::string_view text);

// The row in this line (after PlainLine), or nothing when it begins with no device of the header.
// A word that is no cell becomes a cell as it is, for the message.
std::optional<SmiRow> ParseSmiRow(const SmiHeader& header, std::string_view line);

// The lowest number of "0", "0-1", "3-9,0,11" and the like; nothing for anything else ("N/A").
std::optional<int> LowestOfList(std::string_view list);

}  // namespace aliquot::topology
