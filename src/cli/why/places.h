// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where a pending GPU pod would go, and which nodes something else keeps it from: nodes and pods of
// the whole cluster, each read once. Blocking; not thread-safe.

#include "base/clock.h"
#include "base/status.h"
#include "cli/why/evidence.h"
#include "kubeclient/transport.h"

namespace aliquot::cli {

// Fills `report` and what depends on it, or `demand_problem`. An error when the cluster could not
// be read.
Status GatherPlaces(kubeclient::Transport& transport, const Clock& clock, PodEvidence& evidence);

}  // namespace aliquot::cli
