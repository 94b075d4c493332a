// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/allocation.h"

namespace aliquot::api {

// The pod annotation aliquot.io/allocation, version 1 (docs/reference/annotations.md):
//   {"v":1,"uid":"..","node":"..","containers":{"<name>":{"cards":[{"uuid":"..","core":20,"mib":3840}],
//    "limit":100,"isolation":"auto"}}}
// "limit" is present only where an elastic ceiling was asked for. A reader takes the version that
// it writes and the one before, so that placements outlive an upgrade.
//
// Pure and thread-safe. Unknown keys are ignored; an unknown version, a missing or ill-typed field,
// a number out of range, or a container or card named twice is refused with one sentence.
Result<model::Allocation> ParseAllocation(std::string_view json);

// Equal allocations give equal bytes (the signature is over these bytes): containers and cards in
// the order given, no blanks.
std::string FormatAllocation(const model::Allocation& allocation);

}  // namespace aliquot::api
