// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "topology/description.h"

namespace aliquot::topology {

// The devices that the classes of `nvidia-smi topo -m` imply: devices that are PIX to each other
// hang on one PCIe switch, PXB on a switch above, PHB on one host bridge, NODE on one NUMA node,
// SYS beyond it. NVLinks are wires between the cards, or, where each card would need more of them
// than a card has, wires to one NVSwitch. A pair that the tree would make worse than the source
// says gets a wire of its own, and no group is formed that would make a pair better: a search over
// the result finds exactly the links of the description.
// Pre: description.links has an entry for each pair of cards. Pure.
Fabric InferFabric(const Description& description);

// NVLinks of one card up to Blackwell (Hopper and Blackwell have 18, NVIDIA's data sheets). A mesh
// that would need more of each card goes through an NVSwitch.
inline constexpr int kMaxNvlinksOfCard = 18;

}  // namespace aliquot::topology
