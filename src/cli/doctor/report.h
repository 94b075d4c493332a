// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/doctor/finding.h"

namespace aliquot::cli {

// The findings for people, worst first, and for programs (docs/reference/doctor.md). Pure.
std::string FindingsTable(const Findings& findings);
std::string FindingsJson(const Findings& findings);
bool AnyFailed(const Findings& findings);

}  // namespace aliquot::cli
