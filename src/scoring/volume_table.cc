// SPDX-License-Identifier: Apache-2.0
#include "scoring/volume_table.h"

#include <algorithm>
#include <map>
#include <utility>

namespace aliquot::scoring {
namespace {

// How many pods with GPUs a card sees go by before it must take what it is offered.
constexpr std::int64_t kPodsSeen = 50;
// Below 10^-4 of a chance nothing more is added.
constexpr Fraction kNegligible = kOne / 10000;

struct Asked {
  std::int64_t cpu_milli = 0;
  std::int64_t weight = 0;
};

// A pod that may come, and the chance that one of its size does.
struct Offer {
  std::int64_t value = 0;
  Fraction chance = 0;
};

// The best that comes is taken: the first with its chance, the next when that one does not come,
// and so on. `rest`: what is left to take when none comes.
std::int64_t Expected(std::vector<Offer>& offers, std::int64_t rest) {
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return a.value != b.value ? a.value > b.value : a.chance < b.chance;
  });
  Fraction none_yet = kOne;
  std::int64_t expected = 0;
  for (const Offer& offer : offers) {
    if (none_yet < kNegligible) {
      break;
    }
    expected += Times(offer.value, Times(none_yet, offer.chance));
    none_yet = Times(none_yet, kOne - offer.chance);
  }
  return expected + Times(rest, none_yet);
}

// What a pod of the size brings at each price. A size is asked for with more or less processor, and
// a node may wait for one that asks for little: the cheaper of 1.5 draws, so the popularity Q of
// those up to one class becomes 1 - (1 - Q)^1.5.
VolumeRow ValueOfSize(int cards, int core, std::vector<Asked> asked, std::int64_t weight) {
  std::stable_sort(asked.begin(), asked.end(),
                   [](const Asked& a, const Asked& b) { return a.cpu_milli < b.cpu_milli; });
  const std::int64_t volume = std::int64_t{cards} * core * kVolumeOfPercent;
  VolumeRow value;
  for (std::size_t price = 0; price < kPrices; ++price) {
    std::int64_t up_to = 0;
    Fraction before = 0;
    std::int64_t sum = 0;
    for (const Asked& each : asked) {
      up_to += each.weight;
      const Fraction now = kOne - ToThePowerOfOneAndAHalf(kOne - FractionOf(up_to, weight));
      const std::int64_t paid = CostOfCpu(each.cpu_milli, price);
      sum += Times(std::max<std::int64_t>(0, volume - paid), now - before);
      before = now;
    }
    value.at[price] = static_cast<std::int32_t>(sum);
  }
  return value;
}

}  // namespace

std::vector<PodSize> SizesOf(const std::vector<PodClass>& classes,
                             const std::vector<bool>& eligible) {
  std::map<std::pair<int, int>, std::vector<Asked>> by_size;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const PodClass& each = classes[i];
    if (each.cards == 0) {
      continue;
    }
    total += each.weight;
    if (!eligible[i]) {
      continue;
    }
    // Shares of several cards are as many pods of one share.
    const bool whole = each.core >= 100;
    const int pods = whole ? 1 : each.cards;
    by_size[{whole ? each.cards : 1, std::min(each.core, 100)}].push_back(
        {each.host.cpu_milli / pods, each.weight * pods});
  }
  std::vector<PodSize> sizes;
  for (auto& [size, asked] : by_size) {
    std::int64_t weight = 0;
    for (const Asked& each : asked) {
      weight += each.weight;
    }
    PodSize made;
    made.cards = size.first;
    made.core = size.second;
    made.popularity = std::min(kOne, FractionOf(weight, total));
    made.value = ValueOfSize(made.cards, made.core, std::move(asked), weight);
    sizes.push_back(made);
  }
  return sizes;
}

VolumeTable BuildVolumeTable(const std::vector<PodSize>& sizes) {
  VolumeTable table;
  std::vector<Fraction> chances;
  for (const PodSize& size : sizes) {
    chances.push_back(kOne - ExpOfMinus(kPodsSeen * size.popularity));
  }
  std::vector<Offer> offers;
  for (std::size_t price = 0; price < kPrices; ++price) {
    for (int left = 1; left <= 100; ++left) {
      offers.clear();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const PodSize& size = sizes[i];
        if (size.cards == 1 && size.core <= left && size.value.at[price] > 0) {
          const auto after = static_cast<std::size_t>(left - size.core);
          offers.push_back({size.value.at[price] + table.of_card[after].at[price], chances[i]});
        }
      }
      table.of_card[static_cast<std::size_t>(left)].at[price] =
          static_cast<std::int32_t>(Expected(offers, 0));
    }
    for (int idle = 1; idle <= topology::kMaxCards; ++idle) {
      // Without a pod of several cards, one card more for those of one.
      const std::int64_t apart =
          std::int64_t{table.of_idle[static_cast<std::size_t>(idle - 1)].at[price]} +
          table.of_card[100].at[price];
      offers.clear();
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const PodSize& size = sizes[i];
        if (size.cards < 2 || size.cards > idle) {
          continue;
        }
        const auto after = static_cast<std::size_t>(idle - size.cards);
        const std::int64_t value =
            std::int64_t{size.value.at[price]} + table.of_idle[after].at[price];
        if (value > apart) {
          offers.push_back({value, chances[i]});
        }
      }
      table.of_idle[static_cast<std::size_t>(idle)].at[price] =
          static_cast<std::int32_t>(Expected(offers, apart));
    }
  }
  return table;
}

}  // namespace aliquot::scoring
