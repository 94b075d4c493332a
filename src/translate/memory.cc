// SPDX-License-Identifier: Apache-2.0
#include "translate/memory.h"

#include <algorithm>

#include "model/names.h"

namespace aliquot::translate {
namespace {

constexpr std::int64_t kUnit = model::kMebibytesPerMemoryUnit;
constexpr std::int64_t kMostMib = std::int64_t{1} << 30;  // 1 PiB

std::string Mib(std::int64_t mib) { return std::to_string(mib) + " MiB"; }

Status NeedsCardMemory(const std::string& label, const std::string& why) {
  return InvalidArgument(label + ": " + why +
                         ", and how much memory a card has is not known; say so with "
                         "--card-memory MIB, at admission with admission.cardMemory, or ask for "
                         "core and MiB");
}

}  // namespace

Result<std::int64_t> UnitsOf(PodEdit& edit, const std::string& label, const std::string& field,
                             std::int64_t mib) {
  if (mib < 1 || mib > kMostMib) {
    return InvalidArgument(label + ": " + field + " is " + std::to_string(mib) +
                           "; give the MiB of one card");
  }
  const std::int64_t units = (mib + kUnit - 1) / kUnit;
  if (units * kUnit != mib) {
    edit.Note(label + ": " + field + " of " + Mib(mib) + " becomes " + Mib(units * kUnit) +
              "; Aliquot counts memory in units of 256 MiB");
  }
  return units;
}

Result<std::int64_t> UnitsOfPart(PodEdit& edit, const std::string& label, const std::string& field,
                                 std::int64_t ten_thousandths) {
  const auto card = edit.options().card_mib;
  if (!card) {
    return NeedsCardMemory(label, field + " is a part of a card's memory");
  }
  const std::int64_t mib = *card * ten_thousandths / 10000;
  const std::int64_t units = std::max<std::int64_t>(1, mib / kUnit);
  edit.Note(label + ": " + field + " becomes " + Mib(units * kUnit) + ", the part of a card with " +
            Mib(*card) + "; on a larger card it stays that much");
  return units;
}

Result<std::int64_t> CoreOfMemory(PodEdit& edit, const std::string& label, std::int64_t units) {
  const auto card = edit.options().card_mib;
  if (!card) {
    return NeedsCardMemory(label, "it names memory and no core");
  }
  const std::int64_t mib = units * kUnit;
  if (mib > *card + kUnit) {
    return InvalidArgument(label + " asks for " + Mib(mib) + " on a card, and a card has " +
                           Mib(*card) + "; ask for less, or correct the card's memory");
  }
  const std::int64_t core =
      std::clamp<std::int64_t>((mib * 100 + *card - 1) / *card, 1, model::kWholeCardCore - 1);
  edit.Note(label + ": no core is named; it gets " + std::to_string(core) +
            " % for certain, as its memory is of the card's, and more while the card is idle");
  return core;
}

}  // namespace aliquot::translate
