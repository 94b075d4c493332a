// SPDX-License-Identifier: Apache-2.0
#include "agent/pod_news.h"

#include <algorithm>
#include <string>

namespace aliquot::agent {
namespace {

bool Holds(const GrantRecord& grant, const std::string& uuid) {
  return std::any_of(grant.cards.begin(), grant.cards.end(),
                     [&](const GrantedCard& card) { return card.uuid == uuid; });
}

void Tell(const LiveList& grants, const std::string& uuid, bool warning, const std::string& reason,
          const std::string& sentence, EventPoster& events) {
  for (const auto& grant : grants) {
    if (Holds(*grant, uuid)) {
      events.Post(grant->identity.key, grant->identity.uid, warning, reason, "Watch", sentence);
    }
  }
}

}  // namespace

void TellPods(const HealthNews& news, const LiveGrants& live, EventPoster& events,
              AgentMetrics& metrics, observability::Log& log) {
  const auto grants = live.Snapshot();
  for (const XidReport& xid : news.xids) {
    metrics.CountXid(xid.uuid, xid.xid);
    log.Warn("agent", "XID",
             {{"uuid", xid.uuid},
              {"xid", static_cast<std::int64_t>(xid.xid)},
              {"sentence", xid.sentence}});
    Tell(*grants, xid.uuid, true, "GpuXid", xid.sentence, events);
  }
  for (const HealthChange& change : news.changes) {
    const bool well = change.to == "ok";
    log.Write(well ? observability::Level::kInfo : observability::Level::kWarn, "agent",
              "card health changed",
              {{"uuid", change.uuid},
               {"from", change.from},
               {"to", change.to},
               {"sentence", change.sentence}});
    Tell(*grants, change.uuid, !well, well ? "GpuRecovered" : "GpuUnhealthy", change.sentence,
         events);
  }
}

}  // namespace aliquot::agent
