// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "allocator/decision_core.h"
#include "http/router.h"

namespace aliquot::allocator {

// The paths of the two HTTPS listeners (docs/reference/http-api.md). The core must outlive the
// routers.

// POST /scheduler/filter, /scheduler/prioritize, /scheduler/bind, /scheduler/preempt. Until the
// whole cluster has been heard once every one of them answers that it cannot say yet.
http::Router SchedulerRoutes(DecisionCore& core, const Instruments& instruments);

// POST /admission/mutate, /admission/stamp, /admission/translate/{hami,nvidia,kai}. `own_username`:
// ours at the API server, "" when not known.
http::Router AdmissionRoutes(DecisionCore& core, const Instruments& instruments,
                             const std::string& own_username);

}  // namespace aliquot::allocator
