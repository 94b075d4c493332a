// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/checkpoint.h"

#include <algorithm>
#include <functional>

#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void Checkpoint(std::string_view input) {
  const auto checkpoint = agent::ParseCheckpoint(input, "tencent.com/vcuda-core");
  if (!checkpoint.ok()) {
    Require(!checkpoint.status().message().empty());
    return;
  }
  for (const agent::CheckpointEntry& entry : checkpoint->entries) {
    Require(!entry.uid.empty() && !entry.container.empty() && !entry.ids.empty());
    // Sorted, each once: sets are compared as they are.
    Require(std::adjacent_find(entry.ids.begin(), entry.ids.end(), std::greater_equal<>()) ==
            entry.ids.end());
    const auto found = checkpoint->WithIds(entry.ids);
    Require(std::find(found.begin(), found.end(), &entry) != found.end());
  }
}

}  // namespace aliquot::fuzz
