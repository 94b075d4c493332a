// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/grant/grant_record.h"
#include "base/status.h"
#include "quota/limits_record.h"

namespace aliquot::agent {

// The limits record of a grant, sealed, as its container will read it. Memory of a whole card is 0:
// all of it. A ceiling below the share counts as the share. The isolation is the
// grant's `enforcement`. Error: a text that does not fit. Pure.
Status LimitsOfGrant(const GrantRecord& grant, quota::LimitsRecord& limits);

}  // namespace aliquot::agent
