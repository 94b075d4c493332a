// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "explain/explain.h"
#include "model/demand.h"

namespace aliquot::cli {

// Where a pod would go and why, node by node, for people. Pure, thread-safe.
std::string ReportText(const explain::Report& report, const model::PodDemand& demand);

}  // namespace aliquot::cli
