// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "agent/configuration.h"
#include "agent/gpu/backend_supervisor.h"
#include "base/clock.h"
#include "observability/log.h"
#include "program/problems.h"

namespace aliquot::agent {

// The back end that the configuration names, under a supervisor. Clock and log must outlive it.
// nullptr and at least one problem when it can't be used (a machine profile that does not read).
std::unique_ptr<BackendSupervisor> ChooseBackend(const Configuration& configuration,
                                                 const Clock& clock, observability::Log& log,
                                                 program::Problems& problems);

}  // namespace aliquot::agent
