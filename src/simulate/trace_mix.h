// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a trace asks for as a mix of classes, for peers whose authors let them see it before the
// first pod arrives. Pure.

#include <vector>

#include "scoring/outlook.h"
#include "scoring/policy.h"
#include "simulate/demand_cache.h"
#include "simulate/openb_trace.h"

namespace aliquot::simulate {

// Whether a policy is shown the whole trace at the start: "fgd", since its authors did so and their
// figures are what its rebuild is checked against. The service's own policies learn as pods arrive.
bool KnowsTheTrace(const scoring::Policy& policy);

// Every pod of the trace once, those without GPU too; in the trace's order, one entry a class.
std::vector<scoring::PodClass> MixOf(const std::vector<TracePod>& pods, const DemandCache& demands);

}  // namespace aliquot::simulate
