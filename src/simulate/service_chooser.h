// SPDX-License-Identifier: Apache-2.0
#pragma once

// The service's own placer, choosing GPUs for MAPA's jobs on one node.

#include <memory>

#include "base/status.h"
#include "scoring/policy.h"
#include "simulate/mapa_policy.h"
#include "topology/description.h"

namespace aliquot::simulate {

// Each job becomes a pod of whole cards with the annotation aliquot.io/placement: `topology` for
// one that is sensitive to bandwidth, `binpack` for one that is not. `policy` must outlive the
// result. The error: a description whose links cannot be used.
Result<std::unique_ptr<MapaPolicy>> MakeServiceChooser(const topology::Description& description,
                                                       const scoring::Policy& policy);

}  // namespace aliquot::simulate
