// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/sysfs_pci.h"
#include "model/inventory.h"

namespace aliquot::agent {

// The network cards that can reach a GPU's memory (RDMA: /sys/class/infiniband), by name, each with
// its class to every card in the order given; a card that sysfs does not know is SYS. From sysfs
// below `root`; one that has no PCI device (a virtual one) is left out.
std::vector<model::Nic> ReadNics(const std::string& root,
                                 const std::vector<std::optional<PciPlace>>& cards);

}  // namespace aliquot::agent
