// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/status.h"
#include "topology/description.h"

namespace aliquot::topology {

// NCCL's topology file (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE; grammar: NCCL src/graph/xml.h): a
// <system> of cpu, pci, gpu, nvlink, c2c, nic and net. Cards are ordered by `dev` where every one
// has it, else by PCI bus id, which is nvidia-smi's order. PCIe and inter-socket speeds are NCCL's
// (nccl_speeds.h), NVLinks have this program's nominal figure. NVLinks to a switch are summed; a
// pair then has the fewer of both cards' links. Nothing outside the text is read: no entities, no
// DTD. Refused: <graphs> (a search result, not a topology), other roots, links that disagree.
// PCI devices without a class, and NVLinks to a device that is not in the file or to the card
// itself, are left out with a note. Pure and thread-safe.
Result<Description> ReadNcclXml(std::string_view text, std::string_view file);

}  // namespace aliquot::topology
