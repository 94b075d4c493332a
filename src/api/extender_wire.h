// SPDX-License-Identifier: Apache-2.0
#pragma once

// The wire types of the scheduler extender, one a file.
#include "api/bind_wire.h"      // IWYU pragma: export
#include "api/extender_args.h"  // IWYU pragma: export
#include "api/filter_result.h"  // IWYU pragma: export
#include "api/host_priority.h"  // IWYU pragma: export
