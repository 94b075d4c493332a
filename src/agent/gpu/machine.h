// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "model/inventory.h"

namespace aliquot::agent {

// A character device as the host has it; a grant makes the same one for a container.
struct DeviceNode {
  std::string name;  // below /dev: "nvidia3", "nvidiactl", "nvidia-caps/nvidia-cap1"
  unsigned major = 0;
  unsigned minor = 0;
  mode_t mode = 0666;  // permission bits only
  uid_t uid = 0;
  gid_t gid = 0;

  friend bool operator==(const DeviceNode& a, const DeviceNode& b) {
    return a.name == b.name && a.major == b.major && a.minor == b.minor && a.mode == b.mode &&
           a.uid == b.uid && a.gid == b.gid;
  }
};

// One card as its back end sees it. `card.health` is always "ok" here: health is what
// src/agent/health makes of events and checks. `card.mode` is "" or what keeps the card from being
// shared ("mig").
struct MachineCard {
  model::Card card;
  DeviceNode node;  // its own device node
};

// The node's GPUs at one look. Plain values.
struct Machine {
  std::string driver;               // the driver's version, "535.104.05"
  std::vector<MachineCard> cards;   // by minor number
  std::vector<DeviceNode> control;  // what every container with a card needs besides
  std::vector<std::string> links;   // as model::Inventory::links
  std::vector<model::Nic> nics;     // as model::Inventory::nics
  // What is odd and was worked around, one sentence each ("two cards say UUID ..").
  std::vector<std::string> notes;
  // The driver can hold a control group to an amount of memory (nvmlDeviceSetMemoryLimits_v1).
  bool memory_limits = false;

  const MachineCard* FindUuid(std::string_view uuid) const {
    for (const MachineCard& each : cards) {
      if (each.card.uuid == uuid) {
        return &each;
      }
    }
    return nullptr;
  }
};

}  // namespace aliquot::agent
