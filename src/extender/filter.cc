// SPDX-License-Identifier: Apache-2.0
#include "extender/filter.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/extender_wire.h"
#include "model/demand.h"
#include "scoring/refusal.h"

namespace aliquot::extender {

using observability::RequestOutcome;
using scoring::Refusal;

namespace {

// While a bind is on its way the pod can go nowhere else; on its own node the new request joins it.
constexpr std::string_view kBoundElsewhere = "the pod is being bound to another node";

// Chains hashes so that the order of the texts counts. The factor is FNV-1a's 64-bit prime.
std::uint64_t Mixed(std::uint64_t hash, std::string_view text) {
  constexpr std::uint64_t kPrime = 1099511628211u;
  return (hash ^ std::hash<std::string_view>()(text)) * kPrime;
}

}  // namespace

struct Filter::Request {
  SteadyTime started;
  api::ExtenderArgs args;
  Result<model::PodDemand> demand = model::PodDemand();
  std::string unusable;  // why there is no demand
  std::shared_ptr<const ledger::Snapshot> snapshot;
  std::optional<std::string> held_on;  // the node of the pod's own reservation
  std::vector<Judgement> verdicts;     // parallel to args.node_names; empty: all of them fit

  std::uint64_t Question() const {
    std::uint64_t hash =
        Mixed(args.pod.tolerates_cordon ? 1 : 0, demand.ok() ? demand->shape : unusable);
    for (const std::string_view name : args.node_names) {
      hash = Mixed(hash, name);
    }
    return hash;
  }
};

Filter::Filter(const ledger::Ledger& ledger, ledger::PendingPods& pending, NodeJudge& judge,
               const model::ResourceNames& names, const Clock& clock,
               observability::Metrics& metrics, observability::DecisionLog& log,
               const FilterOptions& options)
    : ledger_(ledger),
      pending_(pending),
      judge_(judge),
      names_(names),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      options_(options),
      cache_(options.cache_bytes) {}

Reply Filter::Handle(std::string_view body) {
  Request request;
  request.started = clock_.SteadyNow();
  Result<api::ExtenderArgs> args = api::ParseExtenderArgs(body, names_);
  if (!args.ok()) {
    return Fail(request, RequestOutcome::kInvalid, args.status());
  }
  request.args = *std::move(args);
  request.demand = model::DemandOf(request.args.pod, names_);
  request.unusable = request.demand.status().message();
  Remember(request);
  Result<std::shared_ptr<const FilterAnswer>> looked = Look(request);
  if (looked.ok() && !(*looked)->fits && ledger_.generation() != request.snapshot->generation()) {
    looked = Look(request);  // room made during the look would wake nobody for this pod
  }
  if (!looked.ok()) {
    return Fail(request, RequestOutcome::kDeadline, looked.status());
  }
  const std::shared_ptr<const FilterAnswer>& answer = *looked;
  if (!answer->fits && answer->in_sum_only) {
    on_fits_in_sum_only_(request.args.pod);
  }
  Report(request, answer->fits ? RequestOutcome::kOk : RequestOutcome::kRefused,
         answer->fits ? "fits" : "refused", answer->reason);
  return Reply{200, answer->body};
}

// A refusal counts from before the look at the nodes: whoever makes room after that finds it, and
// has the pod tried again (reconcile/requeue.h).
Result<std::shared_ptr<const FilterAnswer>> Filter::Look(Request& request) {
  const SteadyTime looked_at = clock_.SteadyNow();
  request.snapshot = ledger_.Read();
  request.held_on.reset();
  request.verdicts.clear();
  const bool cacheable = request.args.has_node_names;
  const AnswerCache::Key key{request.args.pod.uid, request.snapshot->generation(),
                             cacheable ? request.Question() : 0};
  std::shared_ptr<const FilterAnswer> answer = cacheable ? cache_.Find(key) : nullptr;
  if (answer != nullptr) {
    metrics_.CountFilterCacheHit();
  } else {
    if (Status checked = CheckNodes(request); !checked.ok()) {
      return checked;
    }
    answer = Answer(request);
    if (cacheable) {
      cache_.Store(key, answer);
    }
  }
  if (answer->fits) {
    pending_.Fitted(request.args.pod.uid);
  } else {
    pending_.Refused(request.args.pod.uid, looked_at);
  }
  return answer;
}

void Filter::Remember(const Request& request) {
  if (!request.demand.ok() || request.demand->empty()) {
    return;
  }
  const model::Pod& pod = request.args.pod;
  on_asked_(pod, *request.demand);
  ledger::PendingPod known;
  known.key = pod.key;
  known.uid = pod.uid;
  known.demand = *request.demand;
  known.tolerates_cordon = pod.tolerates_cordon;
  known.priority = pod.priority;
  pending_.Asked(std::move(known));
}

scoring::Ask Filter::AskOf(const Request& request) {
  const model::Pod& pod = request.args.pod;
  return scoring::Ask(*request.demand, pod.tolerates_cordon, request.snapshot->outlook())
      .OfPriority(pod.priority);
}

// Fills request.verdicts. A demand that breaks the resource model and a pod that is being bound
// need none.
Status Filter::CheckNodes(Request& request) const {
  if (!request.demand.ok() || request.demand->empty()) {
    return Status::Ok();
  }
  if (const auto hold = ledger_.FindHold(request.args.pod.uid)) {
    request.held_on = hold->node;
    return Status::Ok();
  }
  Result<NodeJudge::Outcome> outcome =
      judge_.Judge(*request.snapshot, {request.args.node_names, AskOf(request),
                                       /*ranked=*/false, request.started + options_.deadline});
  if (!outcome.ok()) {
    return outcome.status();
  }
  if (outcome->cut_short) {
    metrics_.CountSearchCutShort();
  }
  request.verdicts = std::move(outcome->judgements);
  return Status::Ok();
}

std::shared_ptr<const FilterAnswer> Filter::Answer(const Request& request) const {
  const std::vector<std::string_view>& names = request.args.node_names;
  api::FilterResult result;
  std::array<std::size_t, scoring::kAllRefusals.size()> counts{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Refusal verdict = request.verdicts.empty() ? Refusal::kNone : request.verdicts[i].refusal;
    if (!request.demand.ok()) {
      result.unresolvable.push_back({names[i], request.unusable});
    } else if (request.held_on && *request.held_on != names[i]) {
      result.failed.push_back({names[i], kBoundElsewhere});
    } else if (verdict == Refusal::kNone) {
      result.kept.push_back(i);
    } else {
      ++counts[static_cast<std::size_t>(verdict)];
      auto& list = scoring::CouldFitLater(verdict) ? result.failed : result.unresolvable;
      list.push_back({names[i], scoring::RefusalSentence(verdict)});
    }
  }
  auto answer = std::make_shared<FilterAnswer>();
  answer->fits = !result.kept.empty();
  answer->in_sum_only =
      !answer->fits && counts[static_cast<std::size_t>(Refusal::kNotOnOneCard)] > 0;
  if (!request.demand.ok()) {
    answer->reason = request.unusable;
  } else if (!answer->fits && request.held_on) {
    answer->reason = kBoundElsewhere;
  } else if (!answer->fits && !names.empty()) {
    const auto commonest = std::max_element(counts.begin(), counts.end()) - counts.begin();
    answer->reason = scoring::RefusalSentence(static_cast<Refusal>(commonest));
  }
  api::WriteFilterResult(answer->body, request.args, result);
  return answer;
}

Reply Filter::Fail(const Request& request, RequestOutcome outcome, const Status& status) {
  Report(request, outcome, "error", status.message());
  Reply reply;
  api::WriteFilterError(reply.body, status.message());
  return reply;
}

void Filter::Report(const Request& request, RequestOutcome outcome, std::string_view word,
                    std::string_view reason) {
  const auto duration = clock_.SteadyNow() - request.started;
  metrics_.CountRequest(observability::Verb::kFilter, outcome, duration);
  const std::string pod = request.args.pod.key.ToString();
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "filter";
  decision.pod = pod;
  decision.uid = request.args.pod.uid;
  decision.outcome = word;
  decision.reason = reason;
  decision.duration = duration;
  log_.Record(decision);
}

}  // namespace aliquot::extender
