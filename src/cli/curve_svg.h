// SPDX-License-Identifier: Apache-2.0
#pragma once

// Allocation and fragmentation against arrivals, one curve a run, as a picture. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "simulate/openb_replay.h"

namespace aliquot::cli {

// Pre: at least one run.
std::string DrawCurves(std::string_view title, const std::vector<simulate::ReplayResult>& runs);

}  // namespace aliquot::cli
