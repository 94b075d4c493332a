// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aliquot::model {

// What a node agent publishes of its cards in the annotation aliquot.io/gpu-inventory (format:
// docs/reference/annotations.md). Plain values, immutable once built.

struct Card {
  std::string uuid;
  int minor = 0;  // index users see in predicate-gpu-idx-*
  std::string model;
  std::int64_t mib = 0;
  std::string pci;
  int numa = -1;  // -1 = unknown
  std::string compute_capability;
  std::string health;  // "ok", or one word that says what is wrong
  std::string mode;    // "" or "none" = ours to share; "mig", "foreign", ... = not ours, and why

  bool healthy() const { return health == "ok"; }
  bool shareable() const { return mode.empty() || mode == "none"; }
  bool usable() const { return healthy() && shareable(); }
  friend bool operator==(const Card& a, const Card& b);
};

// A network card and how each GPU reaches it.
struct Nic {
  std::string name;  // "mlx5_0"
  std::string pci;
  int numa = -1;                      // -1 = unknown
  std::vector<std::string> to_cards;  // link class to each card, in NVIDIA's words

  friend bool operator==(const Nic& a, const Nic& b);
};

struct Inventory {
  std::string driver;
  std::vector<Card> cards;
  // Link class of each pair, upper triangle row by row: (0,1), (0,2), .., (1,2), .. in NVIDIA's
  // words. Empty when the agent does not know the links.
  std::vector<std::string> links;
  std::vector<Nic> nics;  // optional
  // Measured GB/s one way of each pair, the same triangle; 0 = that pair was not measured. Empty
  // when nothing was.
  std::vector<int> gbps;
  bool leaving = false;  // the node's agent is about to go: nothing new here
  // Cards, links, measured figures, NICs and NUMA nodes in one string: equal for nodes of one shape
  // (identity left out).
  std::string shape;

  // Index of the card, or -1.
  int IndexOfUuid(std::string_view uuid) const;
  int IndexOfMinor(int minor) const;
};

// True when both are the same in every word, or both nullptr.
bool SameInventory(const std::shared_ptr<const Inventory>& a,
                   const std::shared_ptr<const Inventory>& b);

// Fills Inventory::shape from the other members.
void SetShape(Inventory& inventory);

}  // namespace aliquot::model
