// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a placement takes from the value of one node (usable_volume.h). A view of node and ask,
// which must outlive it; allocates nothing. Units: those of usable_volume.h.

#include <cstdint>

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/ask.h"
#include "scoring/node_state.h"
#include "scoring/usable_volume.h"

namespace aliquot::scoring {

struct VolumeLoss {
  std::int64_t usable = 0;    // of what the expected mix could still get
  std::int64_t scarcity = 0;  // for taking cards that other pods can't do without

  // Whole steps (kVolumeStep), rounded down.
  std::int64_t steps() const;
};

class NodeVolume {
 public:
  NodeVolume(const NodeState& node, const Ask& ask);

  // When the pod gets these cards, as Placer chose them.
  VolumeLoss LossOf(const model::CardsOfContainers& cards) const;
  // When this share, which fits there, is put on the card, and the pod's processor is taken.
  std::int64_t LossOfShare(const model::ContainerDemand& share, int card) const;

 private:
  // The node's cards: those in use add up to `row` with those of the idle ones.
  struct Cards {
    VolumeRow row;
    int idle = 0;
  };

  // From `level` down to `level_after`, percent.
  void Lower(Cards& cards, int level, int level_after) const;
  std::int64_t ValueOf(const Cards& cards, std::int64_t cpu_milli) const;

  const NodeState& node_;
  const Ask& ask_;
  const UsableVolume& volume_;
  const VolumeTable& table_;
  const std::int64_t cpu_after_;
  Cards before_;
  std::int64_t value_before_ = 0;
};

}  // namespace aliquot::scoring
