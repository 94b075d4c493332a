// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_record.h"

#include <memory>

#include "agent/grant/limits_of_grant.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void GrantRecord(std::string_view input) {
  const auto record = agent::ParseGrantRecord(input);
  if (!record.ok()) {
    Require(!record.status().message().empty());
    return;
  }
  const std::string text = agent::FormatGrantRecord(*record);
  const auto again = agent::ParseGrantRecord(text);
  Require(again.ok() && agent::FormatGrantRecord(*again) == text);
  const auto limits = std::make_unique<quota::LimitsRecord>();
  if (agent::LimitsOfGrant(*record, *limits).ok()) {
    Require(limits->cards == record->cards.size());
  }
}

}  // namespace aliquot::fuzz
