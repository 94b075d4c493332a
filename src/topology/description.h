// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a source says about the devices of one node and how they are linked: the common form behind
// every reader (read_topology.h) and the node inventory. Plain values; pure, thread-safe functions.
// Units: GB/s one way. Cards are numbered as the source numbers them, from 0.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/inventory.h"
#include "topology/fabric.h"
#include "topology/link.h"

namespace aliquot::topology {

struct DescribedCard {
  std::string name;   // "GPU0"
  std::string model;  // empty = unknown
  std::string pci;    // empty = unknown
  int numa = -1;      // -1 = unknown
};

struct DescribedNic {
  std::string name;  // "mlx5_0", "NIC3"
  std::string pci;   // empty = unknown
  int numa = -1;     // -1 = unknown
  // One for each card. Empty when `fabric` says how the card is reached.
  std::vector<Link> to_cards;
};

struct Description {
  std::string format;  // "nvidia-smi matrix", "NCCL topology", ...: for people
  std::vector<DescribedCard> cards;
  std::vector<DescribedNic> nics;
  // Link of each pair of cards, upper triangle row by row (PairIndex). Empty when `fabric` is
  // given.
  std::vector<Link> links;
  // Links among NICs, the same triangle over `nics`. Empty = unknown; used only to draw switches.
  std::vector<Link> nic_links;
  // The devices between the cards, where the source shows them (NCCL's XML does). Empty: inferred
  // from the classes (infer_fabric.h).
  Fabric fabric;
  // Measured GB/s of each pair, the same triangle; 0 = not measured, empty = nothing measured. A
  // measured pair counts with this figure, whatever its class.
  std::vector<int> measured_gbps;
  // Sentences for people: what the source says that could not be used.
  std::vector<std::string> notes;
};

// Position of the pair in a triangle over `count` devices. Pre: a != b, both below `count`.
constexpr std::size_t PairIndex(std::size_t a, std::size_t b, std::size_t count) {
  const std::size_t low = a < b ? a : b;
  const std::size_t high = a < b ? b : a;
  return low * (2 * count - low - 1) / 2 + (high - low - 1);
}
constexpr std::size_t PairCount(std::size_t count) {
  return count == 0 ? 0 : count * (count - 1) / 2;
}

// More GB/s between two cards than this is taken for a wrong unit and refused by every reader.
inline constexpr int kMaxPairGbps = 10000;

// More NICs than this on one node are refused by every reader.
inline constexpr std::size_t kMaxNics = 128;

// Without links, cards of one NUMA node are taken as NODE and others as SYS. The error is one
// sentence that names the pair and what is wrong.
Result<Description> DescribeInventory(const model::Inventory& inventory);

// Gives `inventory` the description's NUMA nodes, links, NICs and measured figures. A fabric's
// links become the classes and GB/s that its graph finds. Refused: another number of cards.
Status FillInventory(const Description& description, model::Inventory& inventory);

}  // namespace aliquot::topology
