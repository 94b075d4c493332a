// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "model/host.h"
#include "model/quantity.h"
#include "program/map_reader.h"

namespace aliquot::allocator {

// The map `host` of a class of nodes or of a pod: `cpu` and `memory` as Kubernetes quantities.
// Nothing when there is no such map; problems are reported.
std::optional<model::HostAmount> ReadHost(program::MapReader& reader, model::Rounding rounding);

}  // namespace aliquot::allocator
