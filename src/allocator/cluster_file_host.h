// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "allocator/map_reader.h"
#include "model/host.h"
#include "model/quantity.h"

namespace aliquot::allocator {

// The map `host` of a class of nodes or of a pod: `cpu` and `memory` as Kubernetes quantities.
// Nothing when there is no such map; problems are reported.
std::optional<model::HostAmount> ReadHost(MapReader& reader, model::Rounding rounding);

}  // namespace aliquot::allocator
