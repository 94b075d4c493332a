// SPDX-License-Identifier: Apache-2.0
#include "scoring/rank_nodes.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace aliquot::scoring {
namespace {

std::size_t BestOf(const std::vector<RankedNode>& nodes) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].rank > nodes[best].rank ||
        (nodes[i].rank == nodes[best].rank && nodes[i].name < nodes[best].name)) {
      best = i;
    }
  }
  return best;
}

}  // namespace

std::vector<int> ScoresOf(const std::vector<RankedNode>& nodes) {
  std::vector<int> scores(nodes.size());
  if (nodes.empty()) {
    return scores;
  }
  // Thousands of nodes have few different ranks: only these are sorted.
  absl::flat_hash_map<std::int64_t, int> id_of_rank;
  std::vector<int> id_of_node(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    id_of_node[i] =
        id_of_rank.emplace(nodes[i].rank, static_cast<int>(id_of_rank.size())).first->second;
  }
  std::vector<std::pair<std::int64_t, int>> ranks(id_of_rank.begin(), id_of_rank.end());
  std::sort(ranks.begin(), ranks.end(), std::greater<>());
  std::vector<int> score_of_id(ranks.size());
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    const std::size_t tenth = place * static_cast<std::size_t>(kBestNodeScore) / ranks.size();
    score_of_id[static_cast<std::size_t>(ranks[place].second)] =
        kBestNodeScore - 1 - static_cast<int>(tenth);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = score_of_id[static_cast<std::size_t>(id_of_node[i])];
  }
  scores[BestOf(nodes)] = kBestNodeScore;
  return scores;
}

}  // namespace aliquot::scoring
