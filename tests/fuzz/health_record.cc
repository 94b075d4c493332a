// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_record.h"

#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void HealthRecord(std::string_view input) {
  agent::HealthBook book;
  const Status status = agent::RestoreHealth(input, "i", SteadyTime(), book);
  Require(status.ok() || (!status.message().empty() && book.Cards().empty()));
  const std::string text = agent::FormatHealthRecord(book, "i");
  agent::HealthBook again;
  Require(agent::RestoreHealth(text, "i", SteadyTime(), again).ok());
  Require(agent::FormatHealthRecord(again, "i") == text);
}

}  // namespace aliquot::fuzz
