// SPDX-License-Identifier: Apache-2.0
#include "scoring/volume_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include "scoring/fraction.h"

namespace aliquot::scoring {
namespace {

// How many pods a card sees go by before it must take what it is offered.
constexpr std::int64_t kPodsSeen = 50;
// Room for a pod of several cards is worth this part of its volume, for each of the mix that is
// one.
constexpr std::int64_t kRoomPercent = 10;
// Rooms beyond the most frequent add little and cost time with every rank.
constexpr std::size_t kMostRooms = 32;
// Sums are kept finer than the tables, as values of a hundred percents build on each other.
constexpr std::int64_t kFiner = 1 << 12;

// Pods that ask for as much of the cards, whatever processor they ask for.
struct Size {
  int cards = 1;
  int core = 0;
  std::int64_t weight = 0;
  Fraction chance = 0;                        // that such a pod comes in time
  std::array<std::int64_t, kPrices> value{};  // mean volume beyond what its processor costs; finer
};

// A pod that may come.
struct Offer {
  std::int64_t value = 0;
  Fraction chance = 0;
};

// The best that comes is taken: the first with its chance, the next when that one does not come,
// and so on. `rest`: what is left when none comes.
std::int64_t Expected(std::vector<Offer>& offers, std::int64_t rest) {
  std::sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) {
    return a.value != b.value ? a.value > b.value : a.chance > b.chance;
  });
  Fraction none_yet = kOne;
  std::int64_t expected = 0;
  for (const Offer& offer : offers) {
    expected += Times(offer.value, Times(none_yet, offer.chance));
    none_yet = Times(none_yet, kOne - offer.chance);
    if (none_yet == 0) {
      break;
    }
  }
  return expected + Times(rest, none_yet);
}

// Shares of several cards count as so many pods of one share.
int PodsOf(const PodClass& each) { return each.core >= 100 ? 1 : each.cards; }

// A class's part of the mean value of its size.
void AddValue(const PodClass& each, const std::array<std::int32_t, kPrices>& price_of_core,
              Size& size) {
  const std::int64_t volume = std::int64_t{size.cards} * size.core * kVolumeOfPercent * kFiner;
  const std::int64_t cpu_milli = each.host.cpu_milli / PodsOf(each);
  const std::int64_t weight = each.weight * PodsOf(each);
  size.weight += weight;
  for (std::size_t price = 0; price < kPrices; ++price) {
    const std::int64_t cost = price_of_core[price] * cpu_milli * kFiner / 1000;
    size.value[price] += std::max<std::int64_t>(0, volume - cost) * weight;
  }
}

std::vector<Size> SizesOf(const std::vector<PodClass>& head, const std::vector<bool>& eligible,
                          const std::array<std::int32_t, kPrices>& price_of_core) {
  std::map<std::pair<int, int>, Size> by_size;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < head.size(); ++i) {
    const PodClass& each = head[i];
    total += each.weight;
    if (eligible[i]) {
      Size size;
      size.cards = each.core >= 100 ? each.cards : 1;
      size.core = std::min(each.core, 100);
      AddValue(each, price_of_core,
               by_size.try_emplace({size.cards, size.core}, size).first->second);
    }
  }
  std::vector<Size> sizes;
  for (auto& [key, size] : by_size) {
    if (size.weight == 0) {
      continue;
    }
    for (std::int64_t& value : size.value) {
      value /= size.weight;
    }
    const Fraction popularity = std::min(kOne, FractionOf(size.weight, total));
    size.chance = kOne - ExpOfMinus(kPodsSeen * popularity);
    sizes.push_back(size);
  }
  return sizes;
}

void AddRooms(const std::vector<PodClass>& head, const std::vector<bool>& eligible,
              VolumeTable& table) {
  std::int64_t total = 0;
  for (const PodClass& each : head) {
    total += each.weight;
  }
  for (std::size_t i = 0; i < head.size() && table.rooms.size() < kMostRooms; ++i) {
    const PodClass& each = head[i];
    if (!eligible[i] || each.cards < 2 || each.core < 100 || each.cards > topology::kMaxCards) {
      continue;
    }
    const std::int64_t worth =
        Rounded(each.weight * each.cards * kVolumeOfCard * kRoomPercent / 100, total);
    if (worth > 0) {
      table.rooms.push_back({each.cards, each.host.cpu_milli, worth});
    }
  }
  std::stable_sort(
      table.rooms.begin(), table.rooms.end(),
      [](const VolumeTable::Room& a, const VolumeTable::Room& b) { return a.cards < b.cards; });
}

std::int32_t InTable(std::int64_t finer) {
  return static_cast<std::int32_t>(Rounded(finer, kFiner));
}

// One price's columns of the table.
class Column {
 public:
  Column(const std::vector<Size>& sizes, std::size_t price) : sizes_(sizes), price_(price) {}

  void FillCards() {
    for (int left = 1; left <= 100; ++left) {
      offers_.clear();
      for (const Size& size : sizes_) {
        if (size.cards == 1 && size.core <= left && size.value[price_] > 0) {
          Offer(size, of_card_[static_cast<std::size_t>(left - size.core)]);
        }
      }
      of_card_[static_cast<std::size_t>(left)] = Expected(offers_, 0);
    }
  }
  // Pre: the cards are filled. Without a pod of several cards each serves pods of one.
  void FillIdle() {
    for (int idle = 1; idle <= topology::kMaxCards; ++idle) {
      const std::int64_t apart = of_idle_[static_cast<std::size_t>(idle - 1)] + of_card_[100];
      offers_.clear();
      for (const Size& size : sizes_) {
        if (size.cards < 2 || size.cards > idle) {
          continue;
        }
        const std::int64_t after = of_idle_[static_cast<std::size_t>(idle - size.cards)];
        if (size.value[price_] > 0 && size.value[price_] + after > apart) {
          Offer(size, after);
        }
      }
      of_idle_[static_cast<std::size_t>(idle)] = Expected(offers_, apart);
    }
  }
  void CopyTo(VolumeTable& table) const {
    for (std::size_t left = 0; left < of_card_.size(); ++left) {
      table.of_card[left].at[price_] = InTable(of_card_[left]);
    }
    for (std::size_t idle = 0; idle < of_idle_.size(); ++idle) {
      table.of_idle[idle].at[price_] = InTable(of_idle_[idle]);
    }
  }

 private:
  void Offer(const Size& size, std::int64_t after) {
    offers_.push_back({size.value[price_] + after, size.chance});
  }

  const std::vector<Size>& sizes_;
  const std::size_t price_;
  std::vector<scoring::Offer> offers_;
  std::array<std::int64_t, 101> of_card_{};
  std::array<std::int64_t, topology::kMaxCards + 1> of_idle_{};
};

}  // namespace

VolumeTable BuildVolumeTable(const std::vector<PodClass>& head, const std::vector<bool>& eligible,
                             const std::array<std::int32_t, kPrices>& price_of_core) {
  const std::vector<Size> sizes = SizesOf(head, eligible, price_of_core);
  VolumeTable table;
  for (std::size_t price = 0; price < kPrices; ++price) {
    Column column(sizes, price);
    column.FillCards();
    column.FillIdle();
    column.CopyTo(table);
  }
  AddRooms(head, eligible, table);
  return table;
}

}  // namespace aliquot::scoring
