// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a placement takes from the value of one node (usable_volume.h). A view of node and ask,
// which must outlive it; allocates nothing. Units: those of usable_volume.h.

#include <cstdint>

#include "model/demand.h"
#include "model/host.h"
#include "model/peak.h"
#include "scoring/ask.h"
#include "scoring/node_state.h"
#include "scoring/usable_volume.h"

namespace aliquot::scoring {

struct VolumeLoss {
  std::int64_t usable = 0;    // of what the expected mix could still get
  std::int64_t room = 0;      // for pods of several cards
  std::int64_t scarcity = 0;  // for taking cards that other pods can't do without

  std::int64_t total() const { return usable + room + scarcity; }
  // Whole steps (kVolumeStep), rounded down.
  std::int64_t steps() const;
};

class NodeVolume {
 public:
  NodeVolume(const NodeState& node, const Ask& ask);

  // When the pod gets these cards, as Placer chose them.
  VolumeLoss LossOf(const model::CardsOfContainers& cards) const;
  // When this share, which fits there, is put on the card, and the pod's processor is taken.
  VolumeLoss LossOfShare(const model::ContainerDemand& share, int card) const;

 private:
  struct Cards {
    VolumeRow row;  // of all of them
    int idle = 0;
  };
  struct Value {
    std::int64_t usable = 0;
    std::int64_t room = 0;
  };

  // A card goes from `level` down to `level_after`, percent.
  void Lower(Cards& cards, int level, int level_after) const;
  Value ValueOf(const Cards& cards, const model::HostAmount& left) const;
  VolumeLoss LossFor(const Cards& after, std::int64_t core) const;

  const NodeState& node_;
  const Ask& ask_;
  const UsableVolume& volume_;
  const VolumeTable& table_;
  model::HostAmount left_after_;
  Cards before_;
  Value value_before_;
};

}  // namespace aliquot::scoring
