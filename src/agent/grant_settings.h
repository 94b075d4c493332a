// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/configuration.h"
#include "agent/grant/allocate_answer.h"
#include "agent/grant/driver_delivery.h"

namespace aliquot::agent {

// How grants are made, as the configuration asks. Pure.

// devdir works with every runtime, so auto takes it, unless the driver's libraries come by CDI.
GrantMode GrantModeOf(const Configuration& configuration);
DriverDelivery::Way DeliveryWayOf(const Configuration& configuration);
EditOptions EditOptionsOf(const Configuration& configuration);

// Whether the container runtime, as the node object names it ("containerd://2.1.9"), is known to
// take CDI devices; "" = yes, or not told, else one sentence with the remedy. A runtime without CDI
// ignores the field and starts the container without its card, so it is never assumed.
std::string CdiProblem(const std::string& container_runtime);

}  // namespace aliquot::agent
