// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/event_poster.h"
#include "agent/grant/live_grants.h"
#include "agent/health/health_book.h"
#include "agent/usage/agent_metrics.h"
#include "observability/log.h"

namespace aliquot::agent {

// Tells every pod that holds (part of) a card what has happened to it: an XID, also one that a
// neighbour's program has caused, a fault that takes the card out of use, and its return. All must
// outlive the call. Thread-safe.
void TellPods(const HealthNews& news, const LiveGrants& live, EventPoster& events,
              AgentMetrics& metrics, observability::Log& log);

}  // namespace aliquot::agent
