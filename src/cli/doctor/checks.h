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
void CheckExposure(const Observation& seen, Findings& findings);
void CheckProxies(const Observation& seen, Findings& findings);

// All of them, in the order of an installation's life.
Findings Diagnose(const Observation& seen);

// A container runtime's handler of this name is NVIDIA's: nvidia, nvidia-cdi, nvidia-legacy.
bool IsNvidiaRuntime(const std::string& handler);

// Remedies as they can be pasted. `verb` is what stands after kubectl -n NAMESPACE.
std::string Kubectl(const Observation& seen, const std::string& verb);
std::string PutBack(const Observation& seen);  // what the chart made and is gone
std::string AllocatorLog(const Observation& seen);

// "1 pod", "2 pods".
std::string Counted(std::size_t number, const std::string& what);

// "a, b and 3 more": at most three names.
std::string AtMostThree(const std::vector<std::string>& names);

}  // namespace aliquot::cli
