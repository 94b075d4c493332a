// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/grant/grant_store.h"
#include "agent/grant/live_grants.h"
#include "agent/identity/node_pods.h"
#include "agent/identity/recalled_grants.h"
#include "agent/usage/agent_metrics.h"
#include "observability/log.h"

namespace aliquot::agent {

// Keeps the book of live grants and the files in step with the pods: recalls what an agent before
// this one left, ends a pod's grants when it is gone, sweeps what nobody names. Thread-safe.
class GrantKeeper final : public NodePodsObserver, public RecalledGrants {
 public:
  // All must outlive it.
  GrantKeeper(GrantStore& store, LiveGrants& live, AgentMetrics& metrics, observability::Log& log)
      : store_(store), live_(live), metrics_(metrics), log_(log) {}

  // Once, before anything is served.
  Status Recall(const std::string& boot_id);

  void PodGone(std::string_view uid) override { End(std::string(uid), "gone"); }
  void PodFinished(std::string_view uid) override { End(std::string(uid), "finished"); }
  void PodsListed(const std::vector<std::string>& uids) override;

  std::optional<ContainerIdentity> Find(std::string_view name) const override;
  bool Filled(std::string_view uid, std::string_view container) const override;

  // Cards may be numbered anew without a reboot (the driver was loaded again). Grants made for the
  // old numbers are taken out of place, so that their containers start only through a new one.
  void CardsSeen(const Machine& machine);

  // Removes what nobody names, in bounded steps; true: there is more, call again soon. Does nothing
  // before the pods of this node are known.
  bool Sweep(const PodView& pods);

 private:
  void End(const std::string& uid, std::string_view why);

  GrantStore& store_;
  LiveGrants& live_;
  AgentMetrics& metrics_;
  observability::Log& log_;
};

}  // namespace aliquot::agent
