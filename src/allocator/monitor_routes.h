// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "allocator/decision_core.h"
#include "http/router.h"

namespace aliquot::allocator {

// The paths of the monitor listener, which asks nobody who they are and therefore listens on
// loopback only:
//
//   GET /healthz             200 while the process answers at all
//   GET /readyz              200, or 503 with one reason a line
//   GET /metrics             Prometheus' text format 0.0.4
//   GET /version             {"version":..,"commit":..}
//   GET /cards               what is taken of every card: JSON (cards_route.h)
//   GET /explain?pod=ns/name why a pod is where it is, or not: JSON, figures per node
//   (explain_route.h)
//
// The core and the instruments must outlive the router.
http::Router MonitorRoutes(DecisionCore& core, const Instruments& instruments);

// The paths of the authenticated listener: /healthz for anybody, and /metrics, /version, /cards and
// /explain as above behind `guard`, which makes of a handler one that lets only those in who may
// read its path. The same rules.
http::Router AuthenticatedRoutes(DecisionCore& core, const Instruments& instruments,
                                 const std::function<http::Handler(http::Handler)>& guard);

}  // namespace aliquot::allocator
