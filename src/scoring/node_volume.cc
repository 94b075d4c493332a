// SPDX-License-Identifier: Apache-2.0
#include "scoring/node_volume.h"

#include <string_view>

#include "scoring/card_levels.h"

namespace aliquot::scoring {

std::int64_t VolumeLoss::steps() const {
  const std::int64_t toward_zero = total() / kVolumeStep;
  return toward_zero - (total() % kVolumeStep < 0 ? 1 : 0);
}

namespace {

// A node's model lies four pointers away, which over thousands of nodes costs more than the rest of
// their ranks: it is looked up only where pods ask for models.
const VolumeTable& TableOf(const UsableVolume& volume, const NodeState& node) {
  return volume.Of(volume.one_table() ? std::string_view() : ModelOf(node));
}

}  // namespace

NodeVolume::NodeVolume(const NodeState& node, const Ask& ask)
    : node_(node),
      ask_(ask),
      volume_(*ask.outlook.volume),
      table_(TableOf(volume_, node)),
      left_after_(node.host_free) {
  left_after_ -= ask.demand.host;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const int level = LevelOf(node.cards[i]);
    if (level == 100) {
      ++before_.idle;
    } else if (level > 0) {
      before_.row += table_.of_card[static_cast<std::size_t>(level)];
    }
  }
  before_.row += table_.of_idle[static_cast<std::size_t>(before_.idle)];
  value_before_ = ValueOf(before_, node.host_free);
}

NodeVolume::Value NodeVolume::ValueOf(const Cards& cards, const model::HostAmount& left) const {
  const model::HostAmount* known = node_.host_known ? &left : nullptr;
  return {volume_.ValueOf(cards.row, known), UsableVolume::RoomOf(table_, cards.idle, known)};
}

void NodeVolume::Lower(Cards& cards, int level, int level_after) const {
  if (level == 100) {
    cards.row -= table_.of_idle[static_cast<std::size_t>(cards.idle--)];
    cards.row += table_.of_idle[static_cast<std::size_t>(cards.idle)];
  } else {
    cards.row -= table_.of_card[static_cast<std::size_t>(level)];
  }
  cards.row += table_.of_card[static_cast<std::size_t>(level_after)];
}

VolumeLoss NodeVolume::LossFor(const Cards& after, std::int64_t core) const {
  const Value value = ValueOf(after, left_after_);
  return {value_before_.usable - value.usable, value_before_.room - value.room,
          table_.scarcity * core / 100};
}

VolumeLoss NodeVolume::LossOfShare(const model::ContainerDemand& share, int card) const {
  const CardState& state = node_.cards[card];
  Cards after = before_;
  Lower(after, LevelOf(state), LevelAfter(state, share.core, share.mib));
  return LossFor(after, share.core);
}

VolumeLoss NodeVolume::LossOf(const model::CardsOfContainers& cards) const {
  Cards after = before_;
  std::int64_t all_core = 0;
  ForEachAddition(node_, ask_.demand, cards, [&](int card, int core, std::int64_t mib) {
    const CardState& state = node_.cards[card];
    Lower(after, LevelOf(state), LevelAfter(state, core, mib));
    all_core += core;
  });
  return LossFor(after, all_core);
}

}  // namespace aliquot::scoring
