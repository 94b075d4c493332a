// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/grant/decision.h"
#include "agent/usage/agent_metrics.h"
#include "agent/usage/node_figures.h"
#include "http/router.h"

namespace aliquot::agent {

// What the monitor's pages are made of. Every function may be called from several threads.
struct MonitorSources {
  std::string node;
  std::function<std::vector<std::string>()> not_ready;  // reasons
  std::function<NodeFigures()> reading;                 // asks the driver: may take a while
  std::function<std::shared_ptr<const LiveList>()> grants;
  const AgentMetrics* metrics = nullptr;
  bool gpu_manager_pages = false;
  http::Handler verify;  // of the authenticated listener only
};

// The paths of the monitor listener, which asks nobody who they are and therefore listens on
// loopback only:
//
//   GET /healthz   200 while the process answers at all
//   GET /readyz    200, or 503 with one reason a line
//   GET /metrics   Prometheus' text format 0.0.4: agent, cards, shares
//   GET /grants    every live grant: JSON (usage/grants_page.h)
//   GET /version   {"version":..,"commit":..}
//   GET /metric, /usage, /graph   as gpu-manager's, where configured (usage/gpu_manager_pages.h)
//
// What the sources refer to must outlive the router.
http::Router MonitorRoutes(const MonitorSources& sources);

// The paths of the authenticated listener. `guard` makes of a handler one that lets only those in
// who may read its path; it stands before all of them but /healthz:
//
//   GET /healthz                          200
//   GET /metrics, /grants, /version       as above
//   GET /shares                           of /metrics the cards and shares. A path of its own: who
//                                         may get /metrics may get the API server's, too
//   GET /verify?pod=NAMESPACE/NAME        docs/reference/verify.md
//
// What the sources refer to must outlive the router.
http::Router AuthenticatedRoutes(const MonitorSources& sources,
                                 const std::function<http::Handler(http::Handler)>& guard);

}  // namespace aliquot::agent
