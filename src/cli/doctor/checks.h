// SPDX-License-Identifier: Apache-2.0
#pragma once

// The checks, one a file of the same name. Each judges what was read and asks nothing itself: pure,
// thread-safe. Each adds at least one finding.

#include "cli/doctor/finding.h"
#include "cli/doctor/observation.h"

namespace aliquot::cli {

void CheckInstallation(const Observation& seen, Findings& findings);
void CheckClock(const Observation& seen, Findings& findings);
void CheckCertificatesOf(const Observation& seen, Findings& findings);
void CheckWebhook(const Observation& seen, Findings& findings);
void CheckPolicies(const Observation& seen, Findings& findings);
void CheckScheduler(const Observation& seen, Findings& findings);
void CheckAgents(const Observation& seen, Findings& findings);
void CheckRecords(const Observation& seen, Findings& findings);
void CheckNamespaces(const Observation& seen, Findings& findings);
void CheckNeighbours(const Observation& seen, Findings& findings);

// All of them, in the order of an installation's life.
Findings Diagnose(const Observation& seen);

// "a, b and 3 more": at most three names.
std::string SomeOf(const std::vector<std::string>& names);

}  // namespace aliquot::cli
