// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/grant/decision.h"

namespace aliquot::agent {

// The monitor's /grants: every live grant, as JSON (docs/reference/grant.md). Holds no signature.
// Pure.
std::string GrantsPage(const std::string& node, const LiveList& grants);

}  // namespace aliquot::agent
