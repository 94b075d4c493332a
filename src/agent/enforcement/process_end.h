// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "agent/enforcement/process_look.h"
#include "base/status.h"

namespace aliquot::agent {

// A process that is to be ended, as it was when that was decided.
struct ProcessToEnd {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;
  ProcessOwner owner;
};

// Ends it with SIGKILL, and nobody else: a pidfd is opened first, which names this one process for
// good; then its start and its control group are read again and must be what they were; then the
// signal goes through the pidfd. So a number that was given to another process meanwhile, or a
// process that is in no container or in another one, is never hit.
//
// NOT_FOUND: it is gone, or is another one now. PERMISSION_DENIED: CAP_KILL is missing.
// Thread-safe.
Status EndProcess(const ProcessToEnd& process, const ProcessReader& reader);

}  // namespace aliquot::agent
