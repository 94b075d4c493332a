// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "agent/health/health_book.h"
#include "base/clock.h"
#include "base/status.h"

namespace aliquot::agent {

// Which cards wait for a reset, as a small file keeps it over a restart of the agent:
//   {"v":1,"incarnation":"..","needReset":[["GPU-..",79],..]}
// A new agent sees no old event, and would else take such a card for healthy. `incarnation` names
// one loading of the driver in one boot (DriverIncarnation in agent/gpu): under another one all
// cards have been reset. Everything else that can be wrong is found again by the next check.
//
// Pure and thread-safe.

inline constexpr std::size_t kMaxHealthRecordBytes = 64 << 10;

std::string FormatHealthRecord(const HealthBook& book, std::string_view incarnation);

// Marks the cards in `book`, which has seen nothing yet; a record of another incarnation marks
// none. The error is one sentence, and the book is as it was.
Status RestoreHealth(std::string_view record, std::string_view incarnation, SteadyTime now,
                     HealthBook& book);

}  // namespace aliquot::agent
