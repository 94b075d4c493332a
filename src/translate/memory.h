// SPDX-License-Identifier: Apache-2.0
#pragma once

// Amounts of memory and core in our units. Pure, thread-safe.

#include <cstdint>
#include <string>

#include "base/status.h"
#include "translate/pod_edit.h"

namespace aliquot::translate {

// MiB to units of 256 MiB, rounded up, with a note where it is not exact. `field` is the resource
// or annotation that says so. Refused: none, or more than any card has.
Result<std::int64_t> UnitsOf(PodEdit& edit, const std::string& label, const std::string& field,
                             std::int64_t mib);

// A part of a card's memory, in ten-thousandths of it, to units, rounded down but at least one.
// Refused where the card's memory is not known.
Result<std::int64_t> UnitsOfPart(PodEdit& edit, const std::string& label, const std::string& field,
                                 std::int64_t ten_thousandths);

// The percentage of a card's core that goes with that memory, rounded up, 1 to 99, with a note.
// Refused where the card's memory is not known, and where the memory is more than it.
Result<std::int64_t> CoreOfMemory(PodEdit& edit, const std::string& label, std::int64_t units);

}  // namespace aliquot::translate
