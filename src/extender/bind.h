// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "api/extender_wire.h"
#include "base/clock.h"
#include "extender/annotations.h"
#include "extender/bind_desk.h"
#include "extender/reply.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/cluster.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"

namespace aliquot::extender {

// The bind verb: chooses the cards, reserves them, and has the Binding posted with the annotations
// in its metadata, so that node name and cards appear in one write. Protocol:
// k8s.io/kube-scheduler/extender/v1 ExtenderBindingArgs and ExtenderBindingResult.
//
// Idempotent by pod UID: a second request joins the bind on its way, or finds it done. Answers by
// the desk's deadline whatever happens. Thread-safe. Everything referred to must outlive it; the
// desk must be stopped first, as its threads call back.
class Bind {
 public:
  Bind(ledger::Ledger& ledger, ledger::PendingPods& pending, BindDesk& desk,
       model::ClusterWriter& writer, const model::ResourceNames& names, const Clock& clock,
       observability::Metrics& metrics, observability::DecisionLog& log,
       const AnnotationOptions& annotations);

  // Status 200 always; `Error` is empty once the API server has confirmed the bind.
  Reply Handle(std::string_view body);

  // How many pods had to be read from the API server because neither the watch nor a filter request
  // had shown them.
  std::int64_t lookups() const { return lookups_.load(std::memory_order_relaxed); }

 private:
  // What a pod may have besides what it asks for.
  struct Standing {
    bool tolerates_cordon = false;
    std::int64_t priority = 0;
  };

  BindAnswer Decide(const api::BindArgs& args, SteadyTime deadline);
  void Start(const BindDesk::Ticket& ticket);
  void LookUpAndCommit(const BindDesk::Ticket& ticket);
  void Commit(const BindDesk::Ticket& ticket, const model::PodDemand& demand,
              const Standing& standing);
  void SendBinding(const BindDesk::Ticket& ticket, const model::PodDemand& demand,
                   const ledger::CommitResult& result);
  void Report(const api::BindArgs& args, const BindAnswer& answer, SteadyTime started);
  void ReportUnusable(const Status& status, SteadyTime started);

  ledger::Ledger& ledger_;
  ledger::PendingPods& pending_;
  BindDesk& desk_;
  model::ClusterWriter& writer_;
  const model::ResourceNames names_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
  const AnnotationOptions annotation_options_;
  std::atomic<std::int64_t> lookups_{0};
};

}  // namespace aliquot::extender
