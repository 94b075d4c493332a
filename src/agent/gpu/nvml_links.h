// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/gpu/nvml_card.h"

namespace aliquot::agent {

// The live links of one card.
struct CardLinks {
  std::map<std::string, int> to_cards;  // PCI name of the other card -> NVLinks that end there
  int to_switches = 0;                  // NVLinks that end at an NVSwitch
  bool c2c = false;                     // linked to its CPU chip to chip
};

// Asks NVML link by link. A link whose far end is not seen (in a virtual machine) ends at a switch,
// as NCCL takes it. A card without NVLink, or a library that does not know of it, has none.
CardLinks ReadCardLinks(const nvml::Functions& functions, const NvmlCard& card,
                        const std::vector<NvmlCard>& all, const std::string& sysfs_root);

// The class of each pair, upper triangle row by row, in the words of `nvidia-smi topo -m`:
//   NV#   NVLinks from card to card, both ends counted; through switches as many as both cards have
//   C2C   both are linked chip to chip to the CPU of one NUMA node
//   else  PIX, PXB, PHB, NODE or SYS: NVML's common ancestor, failing that sysfs, failing that SYS
std::vector<std::string> ReadLinkTriangle(const nvml::Functions& functions,
                                          const std::vector<NvmlCard>& cards,
                                          const std::string& sysfs_root);

}  // namespace aliquot::agent
