// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_profile.h"

#include <set>
#include <string>

#include "agent/gpu/machine_state.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {
namespace {

// What every accepted profile promises to whoever simulates it.
void RequireSound(const agent::Machine& machine) {
  const std::size_t cards = machine.cards.size();
  Require(cards <= agent::kMaxProfileCards);
  Require(machine.links.empty() || machine.links.size() == cards * (cards - 1) / 2);
  for (const model::Nic& nic : machine.nics) {
    Require(nic.to_cards.size() == cards);
  }
  std::set<std::string> uuids;
  int last = -1;
  for (const agent::MachineCard& each : machine.cards) {
    Require(uuids.insert(each.card.uuid).second);
    Require(each.card.minor > last && each.card.mib > 0 && !each.card.model.empty());
    Require(each.node.minor == static_cast<unsigned>(each.card.minor) && each.node.major > 0);
    last = each.card.minor;
  }
  for (const agent::DeviceNode& node : machine.control) {
    Require(!node.name.empty() && node.name.find("..") != 0 && node.name.front() != '/');
  }
}

}  // namespace

void MachineProfile(std::string_view input) {
  program::Problems problems;
  const auto profile = agent::ParseMachineProfile(input, "profile", problems);
  Require(profile.has_value() == problems.empty());
  if (!profile) {
    return;
  }
  RequireSound(profile->machine);
  const agent::Machine seen = agent::MachineInState(*profile, agent::IntactState(*profile));
  Require(seen.links == profile->machine.links &&
          seen.cards.size() == profile->machine.cards.size());
}

void MachineState(std::string_view input) {
  constexpr char kProfile[] =
      "{apiVersion: aliquot.io/v1alpha1, kind: MachineProfile, driver: '1', cuda: '1',"
      " everyCard: {model: T, mib: 100, computeCapability: '7.5'}, links: {default: PIX},"
      " cards: [{uuid: GPU-a, minor: 0, pci: '0000:01:00.0'},"
      " {uuid: GPU-b, minor: 1, pci: '0000:02:00.0'}],"
      " deviceNodes: {control: [{name: nvidiactl, major: 195, minor: 255}]}}";
  program::Problems none;
  static const auto& profile = *new std::optional<agent::MachineProfile>(
      agent::ParseMachineProfile(kProfile, "profile", none));
  Require(profile.has_value());
  program::Problems problems;
  const auto state = agent::ParseMachineState(input, "state", *profile, problems);
  Require(state.has_value() == problems.empty());
  if (state) {
    RequireSound(agent::MachineInState(*profile, *state));
  }
}

}  // namespace aliquot::fuzz
