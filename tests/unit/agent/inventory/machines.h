// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/gpu/machine.h"

namespace aliquot::agent {

inline MachineCard CardNumber(int minor, const std::string& uuid) {
  MachineCard each;
  each.card.uuid = uuid;
  each.card.minor = minor;
  each.card.model = "Tesla T4";
  each.card.mib = 15360;
  each.card.pci = "0000:3b:00.0";
  each.card.numa = 0;
  each.card.compute_capability = "7.5";
  each.card.health = "ok";
  each.node.name = "nvidia" + std::to_string(minor);
  return each;
}

// Cards GPU-a, GPU-b, GPU-c, .. with the minor numbers 0, 1, 2, .., no links.
inline Machine MachineOf(int cards) {
  Machine machine;
  machine.driver = "535.183.01";
  for (int i = 0; i < cards; ++i) {
    machine.cards.push_back(CardNumber(i, "GPU-" + std::string(1, static_cast<char>('a' + i))));
  }
  return machine;
}

}  // namespace aliquot::agent
