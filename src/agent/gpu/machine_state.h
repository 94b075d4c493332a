// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/gpu/machine_profile.h"
#include "program/problems.h"

namespace aliquot::agent {

// What has happened to a simulated machine since it was built: its state file, YAML or JSON, format
// in profiles/README.md. Plain values; whatever is not told is as the profile says.

struct CardState {
  std::string uuid;
  bool lost = false;  // fell off the bus
  bool uncorrectable_pending = false;
  bool remap_failed = false;
  std::optional<int> minor;  // another minor number than the profile's, after a reboot
  CardFigures figures;       // mib_total is the profile's
};

struct StateEvent {
  std::uint64_t sequence = 0;  // an event is delivered once; later ones have larger numbers
  GpuEvent event;
};

struct MachineState {
  bool driver_present = true;
  std::vector<CardState> cards;    // by the profile's minor number, every card of it
  std::vector<StateEvent> events;  // by sequence
};

inline constexpr std::size_t kMaxStateBytes = 256 << 10;

// A machine of which nothing is told.
MachineState IntactState(const MachineProfile& profile);

// Reads a state of this machine. Reports every problem, each with its line, and returns nothing
// when there was any. Pure and thread-safe.
std::optional<MachineState> ParseMachineState(std::string_view text, const std::string& file,
                                              const MachineProfile& profile,
                                              program::Problems& problems);

// The machine as a look finds it in that state: cards by their minor numbers of now, lost ones left
// out with a note, links and NICs to match. Pre: state.driver_present.
Machine MachineInState(const MachineProfile& profile, const MachineState& state);

}  // namespace aliquot::agent
