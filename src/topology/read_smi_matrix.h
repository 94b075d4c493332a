// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/status.h"
#include "topology/description.h"

namespace aliquot::topology {

// The output of `nvidia-smi topo -m`: header, one row for each device, legends ignored but for the
// NICs' names. Lines that begin with # are comments. Cells may be separated by tabs or blanks, lose
// their separator (SYSSYS), and the affinity columns may be empty. A card's NUMA node is the lowest
// of its NUMA affinity, else found by its CPU affinity; "GPU NUMA ID" is the card's memory and not
// used. Refused: a missing row or cell, two rows that disagree, a link of a device to itself, an
// unknown class, more than 64 cards. Pure and thread-safe.
Result<Description> ReadSmiMatrix(std::string_view text, std::string_view file);

}  // namespace aliquot::topology
