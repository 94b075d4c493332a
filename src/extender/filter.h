// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "extender/answer_cache.h"
#include "extender/node_judge.h"
#include "extender/reply.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"

namespace aliquot::extender {

struct FilterOptions {
  // Past it the answer is an error: one slow filter stalls all of kube-scheduler.
  std::chrono::nanoseconds deadline = std::chrono::seconds(1);
  std::size_t cache_bytes = 8u << 20;
};

// The filter verb: which of the nodes asked about can hold the pod now, and for each other one why
// not. Protocol: k8s.io/kube-scheduler/extender/v1 ExtenderArgs and ExtenderFilterResult.
//
// No side effect but remembering the pod, since a bind request names it only. One snapshot a
// request. A node's verdict does not depend on the order of the names, and its sentence holds no
// figure: kube-scheduler retries a pod at once when the text changes. Thread-safe. Everything
// referred to must outlive it.
class Filter {
 public:
  Filter(const ledger::Ledger& ledger, ledger::PendingPods& pending, NodeJudge& judge,
         const model::ResourceNames& names, const Clock& clock, observability::Metrics& metrics,
         observability::DecisionLog& log, const FilterOptions& options);

  // Calls `listener` for each refused pod that some node holds in sum, not on one card, at most
  // once an answer. To be set before requests come.
  void OnFitsInSumOnly(std::function<void(const model::Pod&)> listener) {
    on_fits_in_sum_only_ = std::move(listener);
  }

  // Calls `listener` with each pod that filter is asked about and its demand, on the thread of the
  // request. To be set before requests come.
  void OnAsked(std::function<void(const model::Pod&, const model::PodDemand&)> listener) {
    on_asked_ = std::move(listener);
  }

  // Status 200 always; a body that cannot be used is answered with `Error`.
  Reply Handle(std::string_view body);

 private:
  struct Request;

  static scoring::Ask AskOf(const Request& request);

  void Remember(const Request& request);
  // One look at the nodes as they are now. The error: the deadline passed.
  Result<std::shared_ptr<const FilterAnswer>> Look(Request& request);
  std::shared_ptr<const FilterAnswer> Answer(const Request& request) const;
  Status CheckNodes(Request& request) const;
  Reply Fail(const Request& request, observability::RequestOutcome outcome, const Status& status);
  void Report(const Request& request, observability::RequestOutcome outcome, std::string_view word,
              std::string_view reason);

  const ledger::Ledger& ledger_;
  ledger::PendingPods& pending_;
  NodeJudge& judge_;
  const model::ResourceNames names_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
  const FilterOptions options_;
  AnswerCache cache_;
  std::function<void(const model::Pod&, const model::PodDemand&)> on_asked_ =
      [](const model::Pod&, const model::PodDemand&) {};
  std::function<void(const model::Pod&)> on_fits_in_sum_only_ = [](const model::Pod&) {};
};

}  // namespace aliquot::extender
