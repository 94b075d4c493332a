// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/grant/driver_delivery.h"
#include "agent/grant/grant_record.h"
#include "agent/grant/library_shelf.h"

namespace aliquot::agent {

// All that the store needs to make one grant. Plain values.
struct GrantPlan {
  GrantRecord record;
  // What the container's /dev gets: the node of each card, then the control nodes, as the host has
  // them now.
  std::vector<DeviceNode> nodes;
  DriverDelivery driver;
  // The enforcement library, where isolation_choice.h chose it.
  PublishedLibrary library;
  // The driver holds its memory, too: the CDI specification asks NVIDIA's toolkit for it.
  bool driver_limits = false;
  // Its entry in the book of live grants (LiveGrants), which no other decision has; empty = none.
  std::shared_ptr<const GrantRecord> booking;

  // Device memory of all its cards together.
  std::int64_t total_mib() const {
    std::int64_t sum = 0;
    for (const GrantedCard& each : record.cards) {
      sum += each.mib;
    }
    return sum;
  }
};

}  // namespace aliquot::agent
