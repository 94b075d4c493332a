// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_costs.h"

namespace aliquot::interposer {
namespace {

constexpr std::size_t kNeighbours = 8;
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;  // odd
constexpr std::uint64_t kFirstSamplePauseNs = 2'000'000;
constexpr std::uint32_t kMostDoublings = 6;  // to 128 ms
constexpr std::uint32_t kSamplesPerDoubling = 8;
constexpr std::uint64_t kMeanFades = 16;

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

template <typename T>
void Store(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
std::uint64_t Mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
  return word ^ (word >> 31);
}

void Clear(LaunchCost& cost) {
  Store(cost.least_ns, std::uint64_t{0});
  Store(cost.former_least_ns, std::uint64_t{0});
  Store(cost.due_ns, std::uint64_t{0});
  Store(cost.samples, 0U);
  Store(cost.since_sample, 0U);
  Store(cost.unsettled, 0U);
  Store(cost.unsettled_ns, std::uint64_t{0});
  Store(cost.mean_ns, std::uint64_t{0});
  Store(cost.underway, std::uint16_t{0});
  Store(cost.correction, std::uint16_t{0});
}

}  // namespace

// Each word times an odd number of its own, so that the products are formed side by side.
std::uint64_t LaunchKeyOf(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += (words[i] ^ (words[i] >> 29)) * (kGolden * (2 * i + 1) ^ (i << 20));
  }
  const std::uint64_t key = Mix(sum + kGolden);
  return key == 0 ? 1 : key;
}

LaunchCost& FindCost(LaunchCosts& costs, std::uint64_t key) {
  for (std::size_t i = 0; i < kNeighbours; ++i) {
    LaunchCost& cost = costs.entry[(key + i) % kLaunchCosts];
    std::uint64_t there = Load(cost.key);
    if (there == key) {
      return cost;
    }
    if (there == 0) {
      if (__atomic_compare_exchange_n(&cost.key, &there, key, false, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED) ||
          there == key) {
        return cost;
      }
    }
  }
  LaunchCost& given_up = costs.entry[(key + (key >> 32) % kNeighbours) % kLaunchCosts];
  Store(given_up.key, key);
  Clear(given_up);
  return given_up;
}

std::uint64_t EstimatedCost(const LaunchCost& cost, std::uint32_t spread) {
  const std::uint64_t now = Load(cost.least_ns);
  const std::uint64_t former = Load(cost.former_least_ns);
  const std::uint64_t least = now == 0 || former == 0 ? now + former : now < former ? now : former;
  const std::uint64_t mean = Load(cost.mean_ns);
  return least == 0 || mean <= least ? least : least + (mean - least) / kWholeSpread * spread;
}

void AddSample(LaunchCost& cost, std::uint64_t elapsed_ns, std::uint64_t now_ns) {
  const std::uint64_t elapsed = elapsed_ns == 0 ? 1 : elapsed_ns;
  const std::uint64_t least = Load(cost.least_ns);
  if (least == 0 || elapsed < least) {
    Store(cost.least_ns, elapsed);
  }
  const std::uint64_t mean = Load(cost.mean_ns);
  Store(cost.mean_ns, mean == 0 ? elapsed : mean - mean / kMeanFades + elapsed / kMeanFades);
  const std::uint32_t samples = __atomic_add_fetch(&cost.samples, 1, __ATOMIC_RELAXED);
  if (samples % kSamplesPerWindow == 0) {
    Store(cost.former_least_ns, Load(cost.least_ns));
    Store(cost.least_ns, std::uint64_t{0});
  }
  const std::uint32_t doublings = samples / kSamplesPerDoubling;
  Store(cost.due_ns, now_ns + (kFirstSamplePauseNs
                               << (doublings < kMostDoublings ? doublings : kMostDoublings)));
}

}  // namespace aliquot::interposer
