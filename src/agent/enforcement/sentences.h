// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/enforcement/verdict.h"
#include "agent/grant/grant_record.h"

namespace aliquot::agent {

// What people are told of a share that is not held: who, what, and what to do. The same for the
// same state, so that repeats are one event. `ended`: by policy the processes are ended. Pure.
std::string VerdictSentence(const GrantRecord& grant, const std::string& uuid, Verdict verdict,
                            bool ended);

}  // namespace aliquot::agent
