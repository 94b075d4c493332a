// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ledger/disruption_budgets.h"
#include "ledger/ledger.h"
#include "model/cluster.h"
#include "reconcile/late_stamp.h"
#include "reconcile/pod_follower.h"
#include "reconcile/sync_state.h"

namespace aliquot::reconcile {

// Takes the cluster's state from its source and hands it to those who follow it: nodes to the
// ledger, pods to the PodFollower, disruption budgets to their keeper. Does no I/O on the source's
// threads. Thread-safe as its interface asks.
class Observer final : public model::ClusterObserver {
 public:
  Observer(ledger::Ledger& ledger, PodFollower& pods, LateStamp& late_stamp,
           ledger::DisruptionBudgets& budgets, SyncState& sync)
      : ledger_(ledger), pods_(pods), late_stamp_(late_stamp), budgets_(budgets), sync_(sync) {}

  void NodeSeen(const model::Node& node) override;
  void NodeGone(std::string_view name) override;
  void NodesListed(const std::vector<std::string>& names) override;

  void PodSeen(const model::Pod& pod) override { pods_.Seen(pod); }
  void PodGone(const model::Pod& last) override { pods_.Gone(last); }
  void PodsListed(const std::vector<std::string>& uids) override;

  void OtherRequestsListed(const StringMap<model::HostAmount>& by_node) override {
    ledger_.SetOtherRequests(by_node);
  }

  void BudgetsListed(const std::vector<model::DisruptionBudget>& all) override {
    budgets_.Replace(all);
  }
  void BudgetSeen(const model::DisruptionBudget& budget) override { budgets_.Put(budget); }
  void BudgetGone(const model::DisruptionBudget& last) override { budgets_.Remove(last); }

 private:
  ledger::Ledger& ledger_;
  PodFollower& pods_;
  LateStamp& late_stamp_;
  ledger::DisruptionBudgets& budgets_;
  SyncState& sync_;
};

}  // namespace aliquot::reconcile
