// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>

#include "quota/charge.h"
#include "quota/limits_record.h"
#include "quota/usage_region.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

// Lays the input over a good file, from the place that its first two bytes name: a mutation of a
// few bytes can then reach every field of a file that is far longer than a useful input.
template <typename File>
std::unique_ptr<File> Overlaid(std::unique_ptr<File> file, std::string_view input) {
  if (input.size() < 2) {
    return file;
  }
  const std::size_t at =
      ((static_cast<unsigned char>(input[0]) << 8 | static_cast<unsigned char>(input[1])) * 8U) %
      sizeof(File);
  input.remove_prefix(2);
  auto* bytes = reinterpret_cast<char*>(file.get());
  std::memcpy(bytes + at, input.data(), std::min(input.size(), sizeof(File) - at));
  return file;
}

// A process of the container charges beside whatever the others wrote: it is admitted only when the
// sum that it sees fits, and gives back no more than it holds.
void ChargeAround(quota::UsageRegion& region) {
  constexpr std::size_t kSlot = 1;
  constexpr std::uint64_t kLimit = 1000;
  constexpr std::uint64_t kBytes = 10;
  const quota::SlotReclaimer nobody{nullptr, nullptr, nullptr};
  quota::RaiseHighWater(region, kSlot);
  Require(region.high_water > kSlot && region.high_water <= quota::kUsageSlots);
  quota::ClearSlot(region.slot[kSlot]);  // as its owner does at first
  for (std::size_t card = 0; card < quota::kMaxCards; card += 5) {
    const std::uint64_t before = quota::HeldBytes(region, card);
    const bool admitted = quota::Charge(region, kSlot, card, kBytes, kLimit, nobody) ==
                          quota::ChargeResult::kAdmitted;
    Require(admitted == (before <= kLimit - kBytes));
    Require(region.slot[kSlot].card[card].pending_bytes == 0);
    Require(region.slot[kSlot].card[card].committed_bytes == (admitted ? kBytes : 0));
    quota::Settle(region, kSlot, card, admitted ? kBytes : 0, 2 * kBytes);
    quota::Refund(region, kSlot, card, ~std::uint64_t{0});
    Require(region.slot[kSlot].card[card].committed_bytes == 0);
  }
}

}  // namespace

void LimitsRecord(std::string_view input) {
  static_cast<void>(quota::CheckLimits(input.data(), input.size()));  // the bytes as they are
  auto record = std::make_unique<quota::LimitsRecord>();
  quota::InitialiseLimits(*record);
  record->cards = 1;
  Require(quota::SetText(record->card[0].uuid, sizeof record->card[0].uuid, "GPU-0", 5));
  record->card[0].core_percent = 20;
  record->card[0].ceiling_percent = 100;
  record = Overlaid(std::move(record), input);
  quota::SealLimits(*record);  // so that what lies behind the checksum is reached
  if (quota::CheckLimits(record.get(), sizeof *record) == quota::LimitsFault::kNone) {
    Require(record->cards >= 1 && record->cards <= quota::kMaxCards);
    for (std::uint32_t i = 0; i < record->cards; ++i) {
      Require(record->card[i].core_percent <= record->card[i].ceiling_percent);
      Require(std::memchr(record->card[i].uuid, 0, sizeof record->card[i].uuid) != nullptr);
    }
  }
  quota::LiveCard live[quota::kMaxCards] = {};
  const bool whole = quota::ReadLive(record->live, live, quota::kMaxCards, 2);
  Require(whole == (record->live.sequence % 2 == 0));  // nobody writes meanwhile
}

void UsageRegion(std::string_view input) {
  static_cast<void>(quota::CheckUsage(input.data(), input.size()));
  auto region = std::make_unique<quota::UsageRegion>();
  quota::InitialiseUsage(*region);
  region = Overlaid(std::move(region), input);
  if (quota::CheckUsage(region.get(), sizeof *region) != quota::UsageFault::kNone) {
    return;
  }
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  for (std::size_t card = 0; card <= quota::kMaxCards; ++card) {
    const quota::CardUsage sum = quota::SumUsage(*region, card, kAll);
    Require(sum.processes <= quota::kUsageSlots);
    Require(quota::SumUsage(*region, card, 1).held_bytes <= sum.held_bytes);
    Require(quota::SumUsage(*region, card, 0).held_bytes == 0);
  }
  ChargeAround(*region);
}

}  // namespace aliquot::fuzz
