// SPDX-License-Identifier: Apache-2.0
#include "scoring/rank_nodes.h"

#include <algorithm>
#include <cstddef>
#include <functional>

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
  absl::flat_hash_map<std::int64_t, int> score_of_rank;
  for (const RankedNode& node : nodes) {
    score_of_rank.emplace(node.rank, 0);
  }
  std::vector<std::int64_t> ranks;
  ranks.reserve(score_of_rank.size());
  for (const auto& [rank, score] : score_of_rank) {
    ranks.push_back(rank);
  }
  std::sort(ranks.begin(), ranks.end(), std::greater<>());
  for (std::size_t place = 0; place < ranks.size(); ++place) {
    const std::size_t tenth = place * static_cast<std::size_t>(kBestNodeScore) / ranks.size();
    score_of_rank[ranks[place]] = kBestNodeScore - 1 - static_cast<int>(tenth);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = score_of_rank[nodes[i].rank];
  }
  scores[BestOf(nodes)] = kBestNodeScore;
  return scores;
}

}  // namespace aliquot::scoring
