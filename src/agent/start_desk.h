// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/event_poster.h"
#include "agent/grant/allocate_answer.h"
#include "agent/grant/decision.h"
#include "agent/grant/grant_store.h"
#include "agent/grant/live_grants.h"
#include "agent/identity/resolver.h"
#include "agent/plugin/container_desk.h"
#include "agent/usage/agent_metrics.h"
#include "base/clock.h"
#include "observability/log.h"

namespace aliquot::agent {

// What a decision is made of that is not the container's: taken anew for each.
struct DeskFacts {
  std::shared_ptr<const Machine> machine;
  std::map<std::string, CardStanding, std::less<>> standing;
  DriverDelivery driver;
  PublishedLibrary library;
  bool cgroup_v2 = false;
  bool allow_none = false;
};

// The way of a container's start through the agent: who is it (Resolver), may it (LiveGrants,
// DecideGrant), then the files (GrantStore). Nothing is chosen here. Thread-safe; several starts go
// on at once.
class StartDesk final : public ContainerDesk {
 public:
  struct Parts {
    Resolver& resolver;
    LiveGrants& live;
    GrantStore& store;
    EventPoster& events;
    AgentMetrics& metrics;
    observability::Log& log;
    const Clock& clock;
  };
  using Verify = std::function<Status(std::string_view text, std::string_view signature)>;

  // `verify` is empty when no keys are configured. All parts must outlive it.
  StartDesk(std::string node_name, EditOptions edits, const Parts& parts,
            std::function<DeskFacts()> facts, Verify verify);

  Result<ContainerEdits> Allocate(const std::vector<std::string>& device_ids) override;
  Status PreStart(const std::vector<std::string>& device_ids) override;

 private:
  Granted<GrantPlan> Grant(const std::vector<std::string>& device_ids, ContainerIdentity& who);
  void Report(const Refusal& refusal, const ContainerIdentity& who);

  const std::string node_name_;
  const EditOptions edits_;
  const Parts parts_;
  const std::function<DeskFacts()> facts_;
  const Verify verify_;
};

}  // namespace aliquot::agent
