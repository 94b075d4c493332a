// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/why/evidence.h"

namespace aliquot::cli {

// The line for a pod on a node that has not ended: it starts, runs, or fails again and again. Pure.
WhyAnswer WhyBound(const PodEvidence& evidence);

}  // namespace aliquot::cli
