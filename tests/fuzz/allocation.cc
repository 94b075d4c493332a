// SPDX-License-Identifier: Apache-2.0
#include "api/allocation_codec.h"
#include "api/gpu_index.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void Allocation(std::string_view input) {
  if (const auto indexes = api::ParseGpuIndexes(input); indexes.ok()) {
    const auto again = api::ParseGpuIndexes(api::FormatGpuIndexes(*indexes));
    Require(again.ok() && *again == *indexes);
  }
  const auto allocation = api::ParseAllocation(input);
  if (!allocation.ok()) {
    Require(!allocation.status().message().empty());
    return;
  }
  for (const model::AllocatedContainer& container : allocation->containers) {
    Require(!container.cards.empty());
    for (const model::AllocatedCard& card : container.cards) {
      Require(card.core >= 1 && card.core <= 100 && card.mib >= 0);
    }
  }
  const std::string text = api::FormatAllocation(*allocation);
  const auto again = api::ParseAllocation(text);
  Require(again.ok() && api::FormatAllocation(*again) == text);
}

}  // namespace aliquot::fuzz
