// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/gpu/nvml_session.h"
#include "agent/gpu/sysfs_numa.h"
#include "agent/gpu/sysfs_pci.h"
#include "base/status.h"

namespace aliquot::agent {

// A card as NVML and sysfs have it. Plain value; the handle lives as long as its session.
struct NvmlCard {
  unsigned index = 0;  // NVML's
  nvml::Device handle = nullptr;
  model::Card card;
  std::optional<PciPlace> place;
};

// What a count and a walk over the indices gave.
struct NvmlCards {
  std::vector<NvmlCard> cards;     // by minor number
  std::vector<std::string> notes;  // one for each card left out: "card 2 of 4 is left out: .."
  bool left_out = false;           // a card is missing; only a new session can see it again
};

// Reads every card. One that fails or has no number is left out with a note, as is every card of a
// UUID or minor number that several have; the others stay. An error: NVML as a whole fails.
Result<NvmlCards> ReadNvmlCards(NvmlSession& session, const std::string& sysfs_root);

// The driver's version, "535.104.05".
Result<std::string> ReadDriverVersion(NvmlSession& session);

}  // namespace aliquot::agent
