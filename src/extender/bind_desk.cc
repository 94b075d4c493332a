// SPDX-License-Identifier: Apache-2.0
#include "extender/bind_desk.h"

#include <utility>

#include "model/names.h"

namespace aliquot::extender {

using Kind = BindAnswer::Kind;

namespace {

constexpr std::string_view kNotConfirmed = "bind not confirmed yet";
constexpr std::string_view kNotSent = "the bind could not be sent in time; nothing was written";
constexpr std::string_view kElsewhere = "the pod is bound to another node";
constexpr std::string_view kGone = "the pod is gone, or was made again under its name";
constexpr std::string_view kStillUnbound = "the bind did not take place; the pod is still unbound";

BindAnswer Bound() { return {Kind::kBound, "", ""}; }
BindAnswer Refused(std::string_view sentence) {
  return {Kind::kRefused, std::string(sentence), ""};
}
BindAnswer Failed(std::string_view sentence) { return {Kind::kFailed, std::string(sentence), ""}; }

std::string SentenceOf(const model::WriteReply& reply) {
  return reply.message.empty() ? "the API server refused the bind"
                               : "the API server refused the bind: " + reply.message;
}

}  // namespace

BindDesk::BindDesk(ledger::Ledger& ledger, model::ClusterWriter& writer, const Clock& clock,
                   observability::Metrics& metrics, observability::DecisionLog& log,
                   const BindDeskOptions& options)
    : ledger_(ledger),
      writer_(writer),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      options_(options),
      pool_(options.threads) {}

BindDesk::Opened BindDesk::Open(const model::PodKey& key, std::string_view uid,
                                std::string_view node, SteadyTime deadline) {
  MutexLock lock(mutex_);
  const auto found = by_uid_.find(uid);
  if (found != by_uid_.end()) {
    return {found->second, false};
  }
  auto ticket = std::make_shared<PendingBind>();
  ticket->key_ = key;
  ticket->uid_ = uid;
  ticket->node_ = node;
  ticket->deadline_ = deadline;
  by_uid_.emplace(uid, ticket);
  return {std::move(ticket), true};
}

void BindDesk::End(const Ticket& ticket, BindAnswer answer) {
  Finish(ticket, Tell::kNothing, std::move(answer));
}

void BindDesk::Send(const Ticket& ticket, Outgoing outgoing) {
  bool bound_here = false;
  {
    MutexLock lock(mutex_);
    if (ticket->state_ == State::kPreparing) {
      ticket->state_ = State::kQueued;
      const auto record =
          outgoing.order.annotations.find(std::string(model::kAllocationAnnotation));
      ticket->record_ = record == outgoing.order.annotations.end() ? "" : record->second;
      ticket->cards_ = std::move(outgoing.cards);
      ticket->owns_reservation_ = outgoing.owns_reservation;
      pool_.Submit([this, ticket, order = std::move(outgoing.order)] { Post(ticket, order); });
      return;
    }
    bound_here = ticket->end_.kind == Kind::kBound;
  }
  // The watch decided it while cards were being chosen. Bound here by somebody else and still
  // without a record, the pod needs the reservation for its late stamp.
  if (outgoing.owns_reservation && !bound_here) {
    ledger_.Release(ticket->uid_);
  }
}

BindAnswer BindDesk::Await(const Ticket& ticket, SteadyTime deadline) {
  MutexLock lock(mutex_);
  while (ticket->state_ != State::kEnded) {
    const auto left = deadline - clock_.SteadyNow();
    if (left <= std::chrono::nanoseconds::zero()) {
      ticket->told_unconfirmed_ = true;
      return {Kind::kUnconfirmed, std::string(kNotConfirmed), ticket->cards_};
    }
    // The injected clock says how long; real time passes while waiting. Tick wakes those whose
    // injected deadline passed earlier.
    ticket->changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + left);
  }
  return ticket->end_;
}

void BindDesk::Post(const Ticket& ticket, const model::BindOrder& order) {
  // Sent only while the answer can still come in time: whoever waited was told that it is not
  // confirmed.
  if (clock_.SteadyNow() >= ticket->deadline_) {
    if (TakeBack(ticket)) {
      Finish(ticket, Tell::kGiveBack, Failed(kNotSent));
    }
    return;
  }
  if (!MoveFrom(State::kQueued, State::kPosting, ticket)) {
    return;
  }
  const model::WriteReply reply = writer_.Bind(order, ticket->deadline_);
  switch (reply.outcome) {
    case model::WriteOutcome::kDone:
      return Finish(ticket, Tell::kConfirm, Bound());
    case model::WriteOutcome::kNotFound:
    case model::WriteOutcome::kRefused:
      return Finish(ticket, Tell::kGiveBack, Failed(SentenceOf(reply)));
    case model::WriteOutcome::kConflict:
      if (MoveFrom(State::kPosting, State::kSettling, ticket)) {
        LookUp(ticket, SentenceOf(reply));
      }
      return;
    case model::WriteOutcome::kUnknown:
      return Unsettled(State::kPosting, ticket, ticket->deadline_ + options_.settle_after);
  }
}

// Reads the pod to learn what became of the bind. `otherwise`: the sentence if the pod is there,
// unbound.
void BindDesk::LookUp(const Ticket& ticket, const std::string& otherwise) {
  const model::PodLookup found = writer_.GetPod(ticket->key_);
  if (found.outcome == model::PodLookup::Outcome::kUnknown) {
    return Unsettled(State::kSettling, ticket, clock_.SteadyNow() + options_.settle_after);
  }
  if (found.outcome == model::PodLookup::Outcome::kNotFound || found.pod.uid != ticket->uid_) {
    return Finish(ticket, Tell::kGiveBack, Refused(kGone));
  }
  if (found.pod.node_name.empty()) {
    return Finish(ticket, Tell::kGiveBack, Failed(otherwise));
  }
  if (found.pod.node_name != ticket->node_) {
    return Finish(ticket, Tell::kGiveBack, Refused(kElsewhere));
  }
  // On our node, but with another record than ours or none: somebody else's bind. The reservation
  // stays until the watch has shown the pod, which counts or stamps it.
  const std::string* record = found.pod.Annotation(model::kAllocationAnnotation);
  const bool ours = record != nullptr && *record == ticket->record_;
  Finish(ticket, ours ? Tell::kConfirm : Tell::kNothing, Bound());
}

void BindDesk::PodSeenBound(std::string_view uid, std::string_view node) {
  const std::string where(node);
  EndByWatch(uid, Tell::kNothing, &where);
}

void BindDesk::PodGone(std::string_view uid) { EndByWatch(uid, Tell::kGiveBack, nullptr); }

// `node`: where the watch shows the pod bound; nullptr when it is gone. Bound, the ledger needs no
// word: it has read the pod's own record, and has confirmed the reservation or put the pod's real
// hold in its place.
void BindDesk::EndByWatch(std::string_view uid, Tell tell, const std::string* node) {
  Ticket ticket;
  {
    MutexLock lock(mutex_);
    const auto found = by_uid_.find(uid);
    if (found == by_uid_.end()) {
      return;
    }
    ticket = found->second;
  }
  const bool here = node != nullptr && *node == ticket->node_;
  Finish(ticket, tell, here ? Bound() : Refused(node == nullptr ? kGone : kElsewhere));
  // Another thread may be ending it: what the watch starts next (a late stamp) must find the ledger
  // told.
  MutexLock lock(mutex_);
  while (ticket->state_ != State::kEnded) {
    ticket->changed_.Wait(mutex_);
  }
}

void BindDesk::Tick() {
  const SteadyTime now = clock_.SteadyNow();
  std::vector<Ticket> unsent;
  std::vector<Ticket> settle;
  bool unconfirmed = false;
  {
    MutexLock lock(mutex_);
    for (auto& [uid, ticket] : by_uid_) {
      if (now >= ticket->deadline_) {
        ticket->changed_.NotifyAll();
        unconfirmed = true;
        if (ticket->state_ == State::kQueued) {
          unsent.push_back(ticket);
        }
      }
      if (ticket->state_ == State::kUnsettled && now >= ticket->settle_at_) {
        ticket->state_ = State::kSettling;
        settle.push_back(ticket);
      }
    }
  }
  metrics_.SetDegraded(observability::Degraded::kUnconfirmedBinds, unconfirmed);
  for (const Ticket& ticket : unsent) {
    if (TakeBack(ticket)) {
      Finish(ticket, Tell::kGiveBack, Failed(kNotSent));
    }
  }
  for (const Ticket& ticket : settle) {
    pool_.Submit([this, ticket] { LookUp(ticket, std::string(kStillUnbound)); });
  }
}

int BindDesk::pending() const {
  MutexLock lock(mutex_);
  return static_cast<int>(by_uid_.size());
}

bool BindDesk::MoveFrom(State from, State to, const Ticket& ticket) {
  MutexLock lock(mutex_);
  if (ticket->state_ != from) {
    return false;
  }
  ticket->state_ = to;
  return true;
}

void BindDesk::Unsettled(State from, const Ticket& ticket, SteadyTime settle_at) {
  MutexLock lock(mutex_);
  if (ticket->state_ == from) {
    ticket->state_ = State::kUnsettled;
    ticket->settle_at_ = settle_at;
  }
}

void BindDesk::Finish(const Ticket& ticket, Tell tell, BindAnswer answer) {
  {
    MutexLock lock(mutex_);
    if (ticket->state_ == State::kEnding || ticket->state_ == State::kEnded) {
      return;
    }
    ticket->state_ = State::kEnding;
    answer.cards = ticket->cards_;
    if (tell == Tell::kGiveBack && !ticket->owns_reservation_) {
      tell = Tell::kNothing;
    }
  }
  // The ledger first: a new bind of this UID must find nothing of this one.
  if (tell == Tell::kConfirm) {
    ledger_.Confirm(ticket->uid_);
  } else if (tell == Tell::kGiveBack) {
    ledger_.Release(ticket->uid_);
  }
  bool late = false;
  {
    MutexLock lock(mutex_);
    ticket->state_ = State::kEnded;
    ticket->end_ = answer;
    late = ticket->told_unconfirmed_;
    by_uid_.erase(ticket->uid_);
    ticket->changed_.NotifyAll();
  }
  if (late) {
    ReportLateEnd(*ticket, answer);
  }
}

// The requests that waited were told "not confirmed yet": the log must say how it ended.
void BindDesk::ReportLateEnd(const PendingBind& bind, const BindAnswer& answer) const {
  const std::string pod = bind.key_.ToString();
  observability::Decision decision;
  decision.component = "extender";
  decision.verb = "bind";
  decision.pod = pod;
  decision.uid = bind.uid_;
  decision.node = bind.node_;
  decision.outcome = answer.kind == Kind::kBound ? "bound_late" : "failed_late";
  decision.reason = answer.sentence;
  decision.cards = answer.cards;
  log_.Record(decision);
}

}  // namespace aliquot::extender
