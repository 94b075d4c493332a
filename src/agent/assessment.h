// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/grant/decision.h"
#include "agent/grant/driver_delivery.h"
#include "agent/inventory/node_patch.h"
#include "agent/inventory/owner.h"
#include "agent/machine_watch.h"
#include "topology/read_measured_gbps.h"

namespace aliquot::agent {

// Everything that decides what this node offers, at one moment.
struct AssessmentInputs {
  std::shared_ptr<const MachineView> machine;
  // What the node said last; nullptr = not known.
  std::shared_ptr<const NodeView> node;
  OwnerVerdict owner;
  DriverDelivery driver;
  std::vector<std::string> include;  // cards.include
  const topology::MeasuredGbps* measured = nullptr;
  std::string startup_taint;
  bool leaving = false;
};

// Devices of one resource.
struct DeviceCount {
  std::int64_t total = 0;
  std::int64_t healthy = 0;

  friend bool operator==(const DeviceCount& a, const DeviceCount& b) {
    return a.total == b.total && a.healthy == b.healthy;
  }
};

// What follows from it: what the node object is to say, what the kubelet is to count, and which
// cards a container may be given.
struct Assessment {
  // Nothing is known of this node's cards, now or before: the node object stays as it is.
  bool says_nothing = false;
  NodeWish wish;
  DeviceCount core;
  DeviceCount memory;
  std::map<std::string, CardStanding, std::less<>> standing;  // by UUID
  // Cards that could not be published, and why nothing is offered; one sentence each.
  std::vector<std::string> notes;
};

// Pure. While another plugin owns the cards, nothing is offered; while the driver is away, being
// replaced, or its libraries can't be handed over, what there is is offered as unhealthy. A node
// whose driver has not been seen since the agent started keeps what was published before, as
// unhealthy.
Assessment AssessNode(const AssessmentInputs& inputs);

}  // namespace aliquot::agent
