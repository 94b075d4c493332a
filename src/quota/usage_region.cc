// SPDX-License-Identifier: Apache-2.0
#include "quota/usage_region.h"

namespace aliquot::quota {
namespace {

void AddUp(std::uint64_t& sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) {
    sum = ~std::uint64_t{0};
  }
}

}  // namespace

const char* UsageFaultName(UsageFault fault) {
  switch (fault) {
    case UsageFault::kNone:
      return "none";
    case UsageFault::kTooShort:
      return "too short";
    case UsageFault::kMagic:
      return "not a usage region";
    case UsageFault::kMajor:
      return "unknown version";
    case UsageFault::kSize:
      return "wrong size";
  }
  return "unknown";
}

void InitialiseUsage(UsageRegion& region) {
  auto* bytes = reinterpret_cast<volatile unsigned char*>(&region);
  for (std::size_t i = 0; i < sizeof region; ++i) {
    bytes[i] = 0;
  }
  for (std::size_t i = 0; i < sizeof kUsageMagic; ++i) {
    region.magic[i] = kUsageMagic[i];
  }
  region.major = kUsageMajor;
  region.minor = kUsageMinor;
  region.size = sizeof region;
  region.slots = kUsageSlots;
  region.cards = kMaxCards;
}

UsageFault CheckUsage(const void* bytes, std::size_t size) {
  if (size < sizeof(UsageRegion)) {
    return UsageFault::kTooShort;
  }
  const auto* region = static_cast<const UsageRegion*>(bytes);
  for (std::size_t i = 0; i < sizeof kUsageMagic; ++i) {
    if (region->magic[i] != kUsageMagic[i]) {
      return UsageFault::kMagic;
    }
  }
  if (region->major != kUsageMajor) {
    return UsageFault::kMajor;
  }
  const bool as_written = region->size == size && region->slots == kUsageSlots &&
                          region->cards == kMaxCards && size == sizeof(UsageRegion);
  return as_written ? UsageFault::kNone : UsageFault::kSize;
}

CardUsage SumUsage(const UsageRegion& region, std::size_t card, std::uint64_t alive) {
  CardUsage sum{};
  if (card >= kMaxCards) {
    return sum;
  }
  for (std::size_t i = 0; i < kUsageSlots; ++i) {
    if ((alive >> i & 1) == 0) {
      continue;
    }
    const UsageCell& cell = region.slot[i].card[card];
    AddUp(sum.held_bytes, cell.committed_bytes);
    AddUp(sum.held_bytes, cell.pending_bytes);
    AddUp(sum.peak_bytes, cell.peak_bytes);
    AddUp(sum.busy_ns, cell.busy_ns);
    AddUp(sum.launches, cell.launches);
    AddUp(sum.throttled_ns, cell.throttled_ns);
    AddUp(sum.denied, cell.denied);
    sum.processes += cell.committed_bytes != 0 || cell.launches != 0 ? 1U : 0U;
  }
  return sum;
}

}  // namespace aliquot::quota
