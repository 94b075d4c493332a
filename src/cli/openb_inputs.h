// SPDX-License-Identifier: Apache-2.0
#pragma once

// What both replays of an openb trace read from the command line, and how their runs share the
// processor.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"
#include "cli/simulate_flags.h"
#include "cli/verb.h"
#include "scoring/policy.h"
#include "simulate/link_rules.h"
#include "simulate/openb_replay.h"

namespace aliquot::cli {

struct OpenbInputs {
  const scoring::Policy* policy = nullptr;
  std::vector<std::uint64_t> seeds;
  simulate::OpenbTrace trace;
  simulate::LinkRules links;
};

// Writes notes to `streams.err`.
Result<OpenbInputs> ReadOpenbInputs(const SimulateFlags& flags, Streams& streams);

// Calls `run` with 0 .. count-1, at most `threads` calls at a time. Pre: `run` may be called from
// several threads and throws nothing.
void RunSideBySide(std::size_t count, int threads, const std::function<void(std::size_t)>& run);

}  // namespace aliquot::cli
