// SPDX-License-Identifier: Apache-2.0
#include "scoring/cluster_figures.h"

namespace aliquot::scoring {

void AddNode(const NodeState& node, ClusterFigures& figures) {
  std::int64_t usable = 0;
  std::int64_t used = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (node.cards[i].usable) {
      ++usable;
      used += node.cards[i].core_used;
      ++figures.cards_by_model[node.facts->inventory->cards[i].model];
    }
  }
  if (usable == 0 || !node.host_known) {
    return;
  }
  figures.core += usable * 100;
  figures.core_used += used;
  figures.cpu_milli += node.facts->allocatable->cpu_milli;
  figures.cpu_milli_used += node.facts->allocatable->cpu_milli - node.host_free.cpu_milli;
}

}  // namespace aliquot::scoring
