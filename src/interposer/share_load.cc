// SPDX-License-Identifier: Apache-2.0
#include "interposer/share_load.h"

namespace aliquot::interposer {
namespace {

constexpr double kAll = 100;

// Counters are a stranger's words: one that runs backwards has not moved.
double Grown(std::uint64_t before, std::uint64_t after) {
  return after > before ? static_cast<double>(after - before) : 0;
}

double Bounded(double percent) {
  if (percent > kAll) {
    return kAll;
  }
  return percent > 0 ? percent : 0;
}

std::uint32_t Rounded(double percent) { return static_cast<std::uint32_t>(percent + 0.5); }

// What each process added, and the sum.
struct Growth {
  double slot[quota::kUsageSlots];
  double sum;
};

Growth GrowthOf(const ShareLook& before, const ShareLook& after, std::uint64_t SlotLook::*counter) {
  Growth growth = {};
  for (std::size_t i = 0; i < quota::kUsageSlots; ++i) {
    const SlotLook& now = after.slot[i];
    const SlotLook& was = before.slot[i];
    const bool same = now.pid == was.pid && now.generation == was.generation;
    growth.slot[i] = now.pid == 0 ? 0 : Grown(same ? was.*counter : 0, now.*counter);
    growth.sum += growth.slot[i];
  }
  return growth;
}

}  // namespace

ShareLoad LoadBetween(const ShareLook& before, const ShareLook& after) {
  ShareLoad load = {};
  const double elapsed = Grown(before.at_ns, after.at_ns);
  if (elapsed <= 0) {
    return load;
  }
  Growth parts = GrowthOf(before, after, &SlotLook::busy_ns);
  const double extra = static_cast<double>(after.extra_ns) - static_cast<double>(before.extra_ns);
  const double percent = Bounded(kAll * (parts.sum + extra) / elapsed);
  if (parts.sum <= 0) {
    parts = GrowthOf(before, after, &SlotLook::launches);
  }
  load.percent = Rounded(percent);
  for (std::size_t i = 0; i < quota::kUsageSlots && parts.sum > 0; ++i) {
    load.slot_percent[i] = static_cast<std::uint8_t>(Rounded(percent * parts.slot[i] / parts.sum));
  }
  return load;
}

std::uint32_t MemoryLoad(std::uint32_t share_percent, std::uint32_t card_percent,
                         std::uint32_t card_memory_percent) {
  if (card_percent == 0 || share_percent >= card_percent) {
    return card_percent == 0 ? 0 : card_memory_percent;
  }
  return Rounded(static_cast<double>(card_memory_percent) * share_percent / card_percent);
}

}  // namespace aliquot::interposer
