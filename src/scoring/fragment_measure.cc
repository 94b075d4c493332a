// SPDX-License-Identifier: Apache-2.0
#include "scoring/fragment_measure.h"

#include <algorithm>
#include <array>
#include <string>

#include "model/card_wishes.h"
#include "scoring/mix_head.h"

namespace aliquot::scoring {
namespace {

constexpr int kTypicalPercent = 95;

// The score is s or more as long as the growth is at most ln((100 - s) / s) cards; here for
// s = 1 .. 49 in 10^-6 cards. For 50 it is 0, above it the same figures with the other sign.
constexpr std::array<std::int64_t, 49> kMostGrowth = {
    4595119, 3891820, 3476098, 3178053, 2944438, 2751535, 2586689, 2442347, 2313634, 2197224,
    2090741, 1992430, 1900958, 1815289, 1734601, 1658228, 1585627, 1516347, 1450010, 1386294,
    1324925, 1265666, 1208311, 1152679, 1098612, 1045968, 994622,  944461,  895384,  847297,
    800119,  753771,  708185,  663294,  619039,  575364,  532216,  489548,  447312,  405465,
    363965,  322773,  281851,  241162,  200670,  160342,  120144,  80042,   40005};

}  // namespace

FragmentMeasure::FragmentMeasure(const std::vector<PodClass>& classes) {
  const std::size_t head = HeadOfMix(classes, kTypicalPercent);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < head; ++i) {
    total += classes[i].weight;
  }
  for (std::size_t i = 0; i < head; ++i) {
    const PodClass& each = classes[i];
    typical_.push_back(
        {each.host.cpu_milli, each.cards, each.core, FractionOf(each.weight, total), each.models});
  }
}

std::int64_t FragmentMeasure::Unusable(const Typical& pods, std::string_view model, const int* left,
                                       std::size_t cards, std::int64_t cpu_milli) {
  std::int64_t idle = 0;
  std::int64_t too_small = 0;
  int fitting = 0;
  for (std::size_t i = 0; i < cards; ++i) {
    const bool fits = left[i] >= pods.core;
    idle += left[i];
    too_small += fits ? 0 : left[i];
    fitting += fits ? 1 : 0;
  }
  const bool served =
      pods.cards > 0 && fitting >= pods.cards && (cpu_milli < 0 || cpu_milli >= pods.cpu_milli);
  if (!served) {
    return idle;
  }
  const bool right_model =
      pods.models.empty() ||
      std::any_of(pods.models.begin(), pods.models.end(),
                  [model](const std::string& key) { return model::IsModel(key, model); });
  return right_model ? too_small : idle;
}

std::int64_t FragmentMeasure::Of(std::string_view model, const int* left, std::size_t cards,
                                 std::int64_t cpu_milli) const {
  std::int64_t expected = 0;
  for (const Typical& pods : typical_) {
    expected += pods.popularity * Unusable(pods, model, left, cards, cpu_milli);
  }
  return expected;
}

int FragmentScore(std::int64_t growth) {
  // Cards * 10^6, rounded up: percent / 100 * 10^6 = percent * 10^4.
  const std::int64_t scaled = growth * 10'000;
  const std::int64_t micro_cards = scaled / kOne + (scaled % kOne > 0 ? 1 : 0);
  if (micro_cards <= 0) {
    // -growth > ln(s / (100 - s)), the mirror of the table.
    int score = 50;
    while (score < 99 && -micro_cards > kMostGrowth[static_cast<std::size_t>(98 - score)]) {
      ++score;
    }
    return score;
  }
  int score = 49;
  while (score > 0 && micro_cards > kMostGrowth[static_cast<std::size_t>(score - 1)]) {
    --score;
  }
  return score;
}

}  // namespace aliquot::scoring
