// SPDX-License-Identifier: Apache-2.0
#include "extender/preempt.h"

#include <optional>
#include <string>
#include <utility>

#include "extender/preempt_node.h"
#include "model/demand.h"

namespace aliquot::extender {

using observability::RequestOutcome;

namespace {

// For the log.
constexpr std::string_view kNobodyHelps =
    "on no proposed node does evicting pods of lower priority free cards on which the pod fits";
constexpr std::string_view kCutShort =
    "the search for victims ran out of steps; more pods may be evicted than need be";

}  // namespace

struct Preempt::Request {
  SteadyTime started;
  api::PreemptionArgs args;
  Result<model::PodDemand> demand = model::PodDemand();
  std::vector<NodePlan> plans;          // of the nodes that stay
  std::vector<api::NodeVictims> nodes;  // views of args and plans
  bool cut_short = false;
};

Preempt::Preempt(ledger::Ledger& ledger, const ledger::DisruptionBudgets& budgets,
                 const scoring::Placer& placer, const model::ResourceNames& names,
                 const Clock& clock, observability::Metrics& metrics,
                 observability::DecisionLog& log, const PreemptOptions& options)
    : ledger_(ledger),
      budgets_(budgets),
      placer_(placer),
      names_(names),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      options_(options) {}

Reply Preempt::Handle(std::string_view body) {
  Request request;
  request.started = clock_.SteadyNow();
  Result<api::PreemptionArgs> args = api::ParsePreemptionArgs(body, names_);
  if (!args.ok()) {
    Report(request, RequestOutcome::kInvalid, "error", args.status().message());
    return Reply{400, args.status().message()};
  }
  request.args = *std::move(args);
  request.demand = model::DemandOf(request.args.pod, names_);
  if (request.demand.ok() && request.demand->empty()) {
    request.nodes = request.args.nodes;  // asks for no card: none of our business
  } else if (request.demand.ok()) {
    PlanNodes(request);
    Claim(request);
  }
  Reply reply;
  api::WritePreemptionResult(reply.body, request.nodes);
  if (request.nodes.empty()) {
    const std::string broken = request.demand.status().message();
    Report(request, RequestOutcome::kRefused, "refused",
           request.demand.ok() ? kNobodyHelps : broken);
  } else {
    Report(request, RequestOutcome::kOk, "victims",
           request.cut_short ? kCutShort : std::string_view());
  }
  return reply;
}

void Preempt::PlanNodes(Request& request) {
  const model::Pod& pod = request.args.pod;
  const Preemptor preemptor{
      pod.uid, scoring::Ask(*request.demand, pod.tolerates_cordon).OfPriority(pod.priority)};
  BudgetBook budgets(budgets_);
  scoring::StepBudget budget(placer_.options());
  std::vector<std::string_view> names;
  for (const api::NodeVictims& asked : request.args.nodes) {
    const auto node = ledger_.ForPreemption(asked.node);
    if (!node) {
      continue;
    }
    std::optional<NodePlan> plan =
        PlanNode(*node, preemptor, {asked.uids, asked.pdb_violations}, placer_, budgets, budget);
    if (plan) {
      request.cut_short = request.cut_short || plan->cut_short;
      request.plans.push_back(*std::move(plan));
      names.push_back(asked.node);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    api::NodeVictims& node = request.nodes.emplace_back();
    node.node = names[i];
    node.uids.assign(request.plans[i].victims.begin(), request.plans[i].victims.end());
    node.pdb_violations = request.plans[i].pdb_violations;
  }
  if (request.cut_short) {
    metrics_.CountSearchCutShort();
  }
}

void Preempt::Claim(const Request& request) {
  const model::Pod& pod = request.args.pod;
  ledger::ClaimRequest claim;
  claim.uid = pod.uid;
  claim.priority = pod.priority;
  claim.nominated_before = pod.nominated_node;
  claim.expires = clock_.SteadyNow() + options_.claim_for;
  for (const NodePlan& plan : request.plans) {
    claim.rooms.push_back(plan.room);
  }
  ledger_.ClaimRoom(claim);
}

void Preempt::Report(const Request& request, RequestOutcome outcome, std::string_view word,
                     std::string_view reason) {
  const auto duration = clock_.SteadyNow() - request.started;
  metrics_.CountRequest(observability::Verb::kPreempt, outcome, duration);
  const std::string pod = request.args.pod.key.ToString();
  // Where one node is left, kube-scheduler has no choice any more.
  const std::string_view node =
      request.nodes.size() == 1 ? request.nodes.front().node : std::string_view();
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "preempt";
  decision.pod = pod;
  decision.uid = request.args.pod.uid;
  decision.node = node;
  decision.outcome = word;
  decision.reason = reason;
  decision.duration = duration;
  log_.Record(decision);
}

}  // namespace aliquot::extender
