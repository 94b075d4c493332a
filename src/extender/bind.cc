// SPDX-License-Identifier: Apache-2.0
#include "extender/bind.h"

#include <map>
#include <utility>

#include "api/binding_codec.h"
#include "model/demand.h"
#include "scoring/refusal.h"

namespace aliquot::extender {

using Kind = BindAnswer::Kind;
using ledger::CommitOutcome;

namespace {

constexpr std::string_view kElsewhere = "the pod is bound to another node";
constexpr std::string_view kBeingBoundElsewhere = "the pod is being bound to another node";
constexpr std::string_view kInProgress = "bind not confirmed yet";
constexpr std::string_view kOtherName = "the pod's UID belongs to a pod of another name";
constexpr std::string_view kGone = "the pod is gone, or was made again under its name";
constexpr std::string_view kNotReadable = "the pod could not be read from the API server";
constexpr std::string_view kNotOurs =
    "the pod asks for no GPU share, so this extender does not bind it";

BindAnswer Bound() { return {Kind::kBound, "", ""}; }
BindAnswer Refused(std::string_view sentence) {
  return {Kind::kRefused, std::string(sentence), ""};
}
BindAnswer Failed(std::string_view sentence) { return {Kind::kFailed, std::string(sentence), ""}; }

struct Words {
  observability::RequestOutcome outcome;
  std::string_view word;
};

Words WordsFor(Kind kind) {
  switch (kind) {
    case Kind::kBound:
      return {observability::RequestOutcome::kOk, "bound"};
    case Kind::kRefused:
      return {observability::RequestOutcome::kRefused, "refused"};
    case Kind::kUnconfirmed:
      return {observability::RequestOutcome::kUnconfirmed, "unconfirmed"};
    case Kind::kFailed:
      break;
  }
  return {observability::RequestOutcome::kError, "failed"};
}

}  // namespace

Bind::Bind(ledger::Ledger& ledger, ledger::PendingPods& pending, BindDesk& desk,
           model::ClusterWriter& writer, const model::ResourceNames& names, const Clock& clock,
           observability::Metrics& metrics, observability::DecisionLog& log,
           const AnnotationOptions& annotations)
    : ledger_(ledger),
      pending_(pending),
      desk_(desk),
      writer_(writer),
      names_(names),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      annotation_options_(annotations) {}

Reply Bind::Handle(std::string_view body) {
  const SteadyTime started = clock_.SteadyNow();
  Reply reply;
  const Result<api::BindArgs> args = api::ParseBindArgs(body);
  if (!args.ok()) {
    ReportUnusable(args.status(), started);
    api::WriteBindResult(reply.body, args.status().message());
    return reply;
  }
  const BindAnswer answer = Decide(*args, started + desk_.options().answer_within);
  if (answer.kind == Kind::kBound) {
    pending_.Remove(args->uid);
  }
  Report(*args, answer, started);
  api::WriteBindResult(reply.body, answer.sentence);
  return reply;
}

BindAnswer Bind::Decide(const api::BindArgs& args, SteadyTime deadline) {
  const auto hold = ledger_.FindHold(args.uid);
  if (hold && !(hold->key == args.pod)) {
    return Refused(kOtherName);
  }
  if (hold && hold->state == ledger::HoldState::kBound) {
    return hold->node == args.node ? Bound() : Refused(kElsewhere);
  }
  const BindDesk::Opened opened = desk_.Open(args.pod, args.uid, args.node, deadline);
  if (opened.ticket->node() != args.node) {
    return Refused(kBeingBoundElsewhere);
  }
  if (!(opened.ticket->key() == args.pod)) {
    return Refused(kOtherName);
  }
  if (opened.mine) {
    Start(opened.ticket);
  }
  return desk_.Await(opened.ticket, deadline);
}

void Bind::Start(const BindDesk::Ticket& ticket) {
  const auto pod = pending_.FindUid(ticket->uid());
  if (pod == nullptr) {
    // A read may hang as long as a write: not on the thread that must answer in time.
    desk_.Run([this, ticket] { LookUpAndCommit(ticket); });
  } else if (!(pod->key == ticket->key())) {
    desk_.End(ticket, Refused(kOtherName));
  } else {
    Commit(ticket, pod->demand, {pod->tolerates_cordon, pod->priority});
  }
}

void Bind::LookUpAndCommit(const BindDesk::Ticket& ticket) {
  lookups_.fetch_add(1, std::memory_order_relaxed);
  const model::PodLookup found = writer_.GetPod(ticket->key());
  if (found.outcome == model::PodLookup::Outcome::kUnknown) {
    return desk_.End(ticket, Failed(kNotReadable));
  }
  const model::Pod& pod = found.pod;
  if (found.outcome == model::PodLookup::Outcome::kNotFound || pod.uid != ticket->uid() ||
      pod.deleting || pod.finished()) {
    return desk_.End(ticket, Refused(kGone));
  }
  if (!pod.node_name.empty()) {
    return desk_.End(ticket, pod.node_name == ticket->node() ? Bound() : Refused(kElsewhere));
  }
  const Result<model::PodDemand> demand = model::DemandOf(pod, names_);
  if (!demand.ok()) {
    return desk_.End(ticket, Refused(demand.status().message()));
  }
  if (demand->empty()) {
    return desk_.End(ticket, Refused(kNotOurs));
  }
  Commit(ticket, *demand, {pod.tolerates_cordon, pod.priority});
}

void Bind::Commit(const BindDesk::Ticket& ticket, const model::PodDemand& demand,
                  const Standing& standing) {
  ledger::CommitRequest request;
  request.key = ticket->key();
  request.uid = ticket->uid();
  request.node = ticket->node();
  request.demand = demand;
  request.tolerates_cordon = standing.tolerates_cordon;
  request.priority = standing.priority;
  const ledger::CommitResult result = ledger_.Commit(request);
  if (result.cut_short) {
    metrics_.CountSearchCutShort();
  }
  switch (result.outcome) {
    case CommitOutcome::kReserved:
      return SendBinding(ticket, demand, result);
    case CommitOutcome::kAlreadyHeld:
      return result.bound ? desk_.End(ticket, Bound()) : SendBinding(ticket, demand, result);
    case CommitOutcome::kHeldElsewhere:
      return desk_.End(ticket, Refused(result.bound ? kElsewhere : kBeingBoundElsewhere));
    case CommitOutcome::kInProgress:
      return desk_.End(ticket, {Kind::kUnconfirmed, std::string(kInProgress), ""});
    case CommitOutcome::kRefused:
      return desk_.End(ticket, Refused(scoring::RefusalSentence(result.refusal)));
  }
}

void Bind::SendBinding(const BindDesk::Ticket& ticket, const model::PodDemand& demand,
                       const ledger::CommitResult& result) {
  const bool ours = result.outcome == CommitOutcome::kReserved;
  const Result<api::Annotations> annotations = AllocationAnnotations(
      result.allocation, demand, result.minors, clock_.SystemNow(), annotation_options_);
  if (!annotations.ok()) {
    if (ours) {
      ledger_.Release(ticket->uid());
    }
    return desk_.End(ticket, Failed(annotations.status().message()));
  }
  Outgoing outgoing;
  outgoing.order.key = ticket->key();
  outgoing.order.uid = ticket->uid();
  outgoing.order.node = ticket->node();
  outgoing.order.annotations.insert(annotations->begin(), annotations->end());
  outgoing.owns_reservation = ours;
  outgoing.cards = CardsText(demand, result.minors);
  desk_.Send(ticket, std::move(outgoing));
}

void Bind::Report(const api::BindArgs& args, const BindAnswer& answer, SteadyTime started) {
  const Words words = WordsFor(answer.kind);
  const auto duration = clock_.SteadyNow() - started;
  metrics_.CountRequest(observability::Verb::kBind, words.outcome, duration);
  const std::string pod = args.pod.ToString();
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "bind";
  decision.pod = pod;
  decision.uid = args.uid;
  decision.node = args.node;
  decision.outcome = words.word;
  decision.reason = answer.sentence;
  decision.cards = answer.cards;
  decision.duration = duration;
  log_.Record(decision);
}

void Bind::ReportUnusable(const Status& status, SteadyTime started) {
  const auto duration = clock_.SteadyNow() - started;
  metrics_.CountRequest(observability::Verb::kBind, observability::RequestOutcome::kInvalid,
                        duration);
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "bind";
  decision.outcome = "error";
  const std::string reason = status.message();
  decision.reason = reason;
  decision.duration = duration;
  log_.Record(decision);
}

}  // namespace aliquot::extender
