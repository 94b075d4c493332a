// SPDX-License-Identifier: Apache-2.0
#include "scoring/node_volume.h"

#include "scoring/card_levels.h"
#include "scoring/fraction.h"

namespace aliquot::scoring {

std::int64_t VolumeLoss::steps() const {
  const std::int64_t loss = usable + scarcity;
  const std::int64_t toward_zero = loss / kVolumeStep;
  return toward_zero - (loss % kVolumeStep < 0 ? 1 : 0);
}

NodeVolume::NodeVolume(const NodeState& node, const Ask& ask)
    : node_(node),
      ask_(ask),
      volume_(*ask.outlook.volume),
      table_(volume_.Of(ModelOf(node))),
      cpu_after_(CpuLeftAfter(node, ask.demand.host.cpu_milli)) {
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const int level = LevelOf(node.cards[i]);
    if (level == 100) {
      ++before_.idle;
    } else {
      before_.row += table_.of_card[static_cast<std::size_t>(level)];
    }
  }
  before_.row += table_.of_idle[static_cast<std::size_t>(before_.idle)];
  value_before_ = ValueOf(before_, CpuLeftAfter(node, 0));
}

std::int64_t NodeVolume::ValueOf(const Cards& cards, std::int64_t cpu_milli) const {
  return cpu_milli < 0 ? UsableVolume::ValueOf(cards.row) : volume_.ValueOf(cards.row, cpu_milli);
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

std::int64_t NodeVolume::LossOfShare(const model::ContainerDemand& share, int card) const {
  const CardState& state = node_.cards[card];
  Cards after = before_;
  Lower(after, LevelOf(state), LevelAfter(state, share.core, share.mib));
  return value_before_ - ValueOf(after, cpu_after_);
}

VolumeLoss NodeVolume::LossOf(const model::CardsOfContainers& cards) const {
  Cards after = before_;
  std::int64_t volume = 0;
  ForEachAddition(node_, ask_.demand, cards, [&](int card, int core, std::int64_t mib) {
    const CardState& state = node_.cards[card];
    Lower(after, LevelOf(state), LevelAfter(state, core, mib));
    volume += core * kVolumeOfPercent;
  });
  return {value_before_ - ValueOf(after, cpu_after_), Times(volume, table_.scarcity)};
}

}  // namespace aliquot::scoring
