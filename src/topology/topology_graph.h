// SPDX-License-Identifier: Apache-2.0
#pragma once

// The graph of one shape of node and what searches over it say. Immutable once built, so
// thread-safe. Units: GB/s one way.
//
// A path's class is its worst wire's, its GB/s the smallest wire's, its NVLinks the fewest of its
// wires'. Of two paths the better class wins, then more GB/s, then fewer hops, as in NCCL
// (src/graph/paths.cc). Cards and NICs end paths and are never passed through: nvidia-smi's
// classes mean that too (NCCL would add NVLink through one other card).

#include <cstddef>
#include <optional>
#include <vector>

#include "base/status.h"
#include "topology/description.h"
#include "topology/fabric.h"
#include "topology/link.h"

namespace aliquot::topology {

struct Path {
  Link link;     // worst class, bottleneck GB/s
  int hops = 0;  // wires on the path; 2 through one NVSwitch
};

// Ordered as above: does `a` come before `b`?
bool BetterPath(const Path& a, const Path& b);

class TopologyGraph {
 public:
  // The fabric is the description's, or the one its links imply. All searches run here. The error
  // is one sentence: too many cards, a list of the wrong length, a card that reaches no other.
  static Result<TopologyGraph> Create(const Description& description);

  int card_count() const { return cards_; }
  int nic_count() const { return nics_; }
  const Fabric& fabric() const { return fabric_; }

  // Pre: a != b.
  const Path& CardToCard(int a, int b) const { return card_paths_[Index(a, b, cards_)]; }
  // Nothing when the source does not say how the NIC is reached.
  const std::optional<Path>& CardToNic(int card, int nic) const {
    return nic_paths_[Index(card, nic, nics_)];
  }
  // Nothing when no vertex has that id.
  std::optional<Path> CardToNuma(int card, int numa) const;

 private:
  TopologyGraph() = default;

  static std::size_t Index(int row, int column, int columns) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }

  struct NumaPath {
    int numa;
    Path path;
  };

  // Takes over what one search from `card` found.
  void Keep(std::size_t card, const std::vector<Path>& best);
  void KeepNuma(std::size_t card, int numa, const Path& path);

  int cards_ = 0;
  int nics_ = 0;
  Fabric fabric_;
  std::vector<Path> card_paths_;                   // square, row by row
  std::vector<std::optional<Path>> nic_paths_;     // row by card
  std::vector<std::vector<NumaPath>> numa_paths_;  // by card, one for each id
};

}  // namespace aliquot::topology
