// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/gpu/machine.h"

namespace aliquot::agent {

struct MachineWithLost {
  Machine machine;
  std::vector<std::string> lost;  // UUIDs of the cards kept from before, by minor number
};

// A card that fell off the bus is missing from the next look, but pods still hold it: it stays in
// the machine as it was, so that it is published as unhealthy instead of vanishing. `before` is the
// last result (or the first look), `now` a new look. Not kept: a card whose minor number another
// one has now. Links and NICs come from `now` where it knows both ends, else from `before`; where
// neither does, they are unknown. Cards by minor number. Pure and thread-safe.
MachineWithLost KeepLostCards(const Machine& before, Machine now);

}  // namespace aliquot::agent
