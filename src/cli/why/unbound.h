// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/why/evidence.h"

namespace aliquot::cli {

// The line for a pod that is on no node. Pure.
WhyAnswer WhyUnbound(const PodEvidence& evidence);

}  // namespace aliquot::cli
