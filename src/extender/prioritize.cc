// SPDX-License-Identifier: Apache-2.0
#include "extender/prioritize.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "api/extender_wire.h"
#include "model/demand.h"
#include "scoring/rank_nodes.h"

namespace aliquot::extender {

using observability::RequestOutcome;

namespace {

// As filter's: past it the scores come too late to be worth the scheduler's time.
constexpr std::chrono::seconds kDeadline{1};

}  // namespace

struct Prioritize::Request {
  SteadyTime started;
  api::ExtenderArgs args;
  Result<model::PodDemand> demand = model::PodDemand();
};

Prioritize::Prioritize(const ledger::Ledger& ledger, NodeJudge& judge,
                       const model::ResourceNames& names, const Clock& clock,
                       observability::Metrics& metrics, observability::DecisionLog& log)
    : ledger_(ledger), judge_(judge), names_(names), clock_(clock), metrics_(metrics), log_(log) {}

Reply Prioritize::Handle(std::string_view body) {
  Request request;
  request.started = clock_.SteadyNow();
  Result<api::ExtenderArgs> args = api::ParseExtenderArgs(body, names_);
  if (!args.ok()) {
    Report(request, RequestOutcome::kInvalid, "error", "", args.status().message());
    return Reply{400, args.status().message()};
  }
  request.args = *std::move(args);
  request.demand = model::DemandOf(request.args.pod, names_);

  std::vector<int> scores(request.args.node_names.size(), 0);
  const Status scored = request.demand.ok() ? ScoreNodes(request, scores) : request.demand.status();
  std::vector<api::HostPriority> list;
  list.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    list.push_back({request.args.node_names[i], scores[i]});
  }
  Reply reply;
  api::WriteHostPriorityList(reply.body, list);
  const auto best = std::max_element(scores.begin(), scores.end());
  const bool any = best != scores.end() && *best > 0;
  if (scored.code() == StatusCode::kDeadlineExceeded) {
    Report(request, RequestOutcome::kDeadline, "error", "", scored.message());
  } else if (any) {
    Report(request, RequestOutcome::kOk, "ranked",
           request.args.node_names[static_cast<std::size_t>(best - scores.begin())], "");
  } else {
    Report(request, RequestOutcome::kRefused, "refused", "",
           scored.ok() ? "no node that was asked about holds the pod" : scored.message());
  }
  return reply;
}

// `scores`: all 0; stay so where no node can be ranked.
Status Prioritize::ScoreNodes(const Request& request, std::vector<int>& scores) const {
  const std::vector<std::string_view>& names = request.args.node_names;
  if (request.demand->empty()) {
    return Status::Ok();
  }
  // A pod that is being bound has its node already.
  if (const auto hold = ledger_.FindHold(request.args.pod.uid)) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      scores[i] = names[i] == hold->node ? scoring::kBestNodeScore : 0;
    }
    return Status::Ok();
  }
  return RankFitting(request, scores);
}

scoring::Ask Prioritize::AskOf(const Request& request, const ledger::Snapshot& snapshot) {
  const model::Pod& pod = request.args.pod;
  return scoring::Ask(*request.demand, pod.tolerates_cordon, snapshot.outlook())
      .OfPriority(pod.priority);
}

Status Prioritize::RankFitting(const Request& request, std::vector<int>& scores) const {
  const std::vector<std::string_view>& names = request.args.node_names;
  const std::shared_ptr<const ledger::Snapshot> snapshot = ledger_.Read();
  const Result<NodeJudge::Outcome> outcome =
      judge_.Judge(*snapshot, {names, AskOf(request, *snapshot),
                               /*ranked=*/true, request.started + kDeadline});
  if (!outcome.ok()) {
    return outcome.status();  // no scores: kube-scheduler decides by the other plugins'
  }
  std::vector<scoring::RankedNode> fitting;
  std::vector<std::size_t> places;  // parallel to `fitting`: index into names
  fitting.reserve(names.size());
  places.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (outcome->judgements[i].fits()) {
      fitting.push_back({names[i], outcome->judgements[i].rank});
      places.push_back(i);
    }
  }
  const std::vector<int> ranked = scoring::ScoresOf(fitting);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    scores[places[i]] = ranked[i];
  }
  return Status::Ok();
}

void Prioritize::Report(const Request& request, RequestOutcome outcome, std::string_view word,
                        std::string_view node, std::string_view reason) {
  const auto duration = clock_.SteadyNow() - request.started;
  metrics_.CountRequest(observability::Verb::kPrioritize, outcome, duration);
  const std::string pod = request.args.pod.key.ToString();
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "prioritize";
  decision.pod = pod;
  decision.uid = request.args.pod.uid;
  decision.node = node;
  decision.outcome = word;
  decision.reason = reason;
  decision.duration = duration;
  log_.Record(decision);
}

}  // namespace aliquot::extender
