// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "base/clock.h"
#include "extender/node_judge.h"
#include "extender/reply.h"
#include "ledger/ledger.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"

namespace aliquot::extender {

// The prioritize verb: ranks the nodes that hold the pod and maps the ranks to 10..0, the best one
// alone on
// 10. A node that holds it no longer gets 0. Protocol: k8s.io/kube-scheduler/extender/v1
// HostPriorityList.
//
// No side effect; one snapshot a request; the scores do not depend on the order of the names.
// Thread-safe. Everything referred to must outlive it.
class Prioritize {
 public:
  Prioritize(const ledger::Ledger& ledger, NodeJudge& judge, const model::ResourceNames& names,
             const Clock& clock, observability::Metrics& metrics, observability::DecisionLog& log);

  // Status 400 with one sentence for a body that cannot be used: kube-scheduler then drops our
  // scores only.
  Reply Handle(std::string_view body);

 private:
  struct Request;

  static scoring::Ask AskOf(const Request& request, const ledger::Snapshot& snapshot);

  Status ScoreNodes(const Request& request, std::vector<int>& scores) const;
  Status RankFitting(const Request& request, std::vector<int>& scores) const;
  void Report(const Request& request, observability::RequestOutcome outcome, std::string_view word,
              std::string_view node, std::string_view reason);

  const ledger::Ledger& ledger_;
  NodeJudge& judge_;
  const model::ResourceNames names_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
};

}  // namespace aliquot::extender
