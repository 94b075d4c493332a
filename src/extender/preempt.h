// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>
#include <vector>

#include "api/preemption_wire.h"
#include "base/clock.h"
#include "extender/reply.h"
#include "ledger/disruption_budgets.h"
#include "ledger/ledger.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"
#include "scoring/placer.h"

namespace aliquot::extender {

struct PreemptOptions {
  // Room that an answer promises is kept this long for the pod until its nomination is seen:
  // kube-scheduler writes it right after it has evicted the victims.
  std::chrono::nanoseconds claim_for = std::chrono::seconds(15);
};

// The preempt verb: kube-scheduler proposes, node by node, whom to evict for a pod, by sums over
// the node; here the victims are picked anew, so that cards become free on which the pod fits, and
// nodes where nobody's eviction helps are struck out. The room that the answer makes is kept from
// pods of lower priority (Ledger::ClaimRoom). Protocol: k8s.io/kube-scheduler/extender/v1
// ExtenderPreemptionArgs and ExtenderPreemptionResult; rules: docs/reference/preemption.md.
//
// Evicts nobody itself. Nodes are looked at one by one, in the order of their names. Thread-safe.
// Everything referred to must outlive it.
class Preempt {
 public:
  Preempt(ledger::Ledger& ledger, const ledger::DisruptionBudgets& budgets,
          const scoring::Placer& placer, const model::ResourceNames& names, const Clock& clock,
          observability::Metrics& metrics, observability::DecisionLog& log,
          const PreemptOptions& options);

  // Status 400 with one sentence for a body that cannot be used.
  Reply Handle(std::string_view body);

 private:
  struct Request;

  void PlanNodes(Request& request);
  void Claim(const Request& request);
  void Report(const Request& request, observability::RequestOutcome outcome, std::string_view word,
              std::string_view reason);

  ledger::Ledger& ledger_;
  const ledger::DisruptionBudgets& budgets_;
  const scoring::Placer& placer_;
  const model::ResourceNames names_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
  const PreemptOptions options_;
};

}  // namespace aliquot::extender
