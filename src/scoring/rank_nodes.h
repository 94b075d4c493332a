// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes' ranks as the scores that kube-scheduler takes from an extender. Pure, thread-safe.

#include <cstdint>
#include <string_view>
#include <vector>

namespace aliquot::scoring {

// An extender's score is 0 to 10 (MaxExtenderPriority of k8s.io/kube-scheduler/extender/v1).
inline constexpr int kBestNodeScore = 10;

struct RankedNode {
  std::string_view name;
  std::int64_t rank = 0;  // of Policy::RankNode; higher is better
};

// Scores parallel to `nodes`, all of which fit. The one best node (of equal ranks the first by
// name) gets 10 alone, so that no other plugin's opinion picks among our best. The others get 9 to
// 0 by the place of their rank among the different ranks: equal ranks get equal scores, the best
// rank 9. Values are not scaled: a policy's terms differ by orders of magnitude.
std::vector<int> ScoresOf(const std::vector<RankedNode>& nodes);

}  // namespace aliquot::scoring
