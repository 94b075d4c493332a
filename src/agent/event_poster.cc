// SPDX-License-Identifier: Apache-2.0
#include "agent/event_poster.h"

#include <utility>

namespace aliquot::agent {
namespace {

constexpr int kEventsPerWindow = 60;
constexpr std::chrono::seconds kWindow{60};
constexpr std::chrono::minutes kRepeatAfter{10};
constexpr std::chrono::minutes kKeepTrying{5};
constexpr std::size_t kMostRemembered = 4096;
constexpr std::size_t kMostNoteBytes = 1000;  // the API server takes 1,024

// Never within a character: the API server refuses what is not UTF-8.
std::string Cut(const std::string& note) {
  if (note.size() <= kMostNoteBytes) {
    return note;
  }
  std::size_t end = kMostNoteBytes;
  while (end > 0 && (static_cast<unsigned char>(note[end]) & 0xC0) == 0x80) {
    --end;
  }
  return note.substr(0, end);
}

}  // namespace

EventPoster::EventPoster(program::WorkQueue& queue, model::ClusterWriter& writer,
                         AgentMetrics& metrics, observability::Log& log, const Clock& clock)
    : queue_(queue),
      writer_(writer),
      metrics_(metrics),
      log_(log),
      clock_(clock),
      limiter_(clock, kEventsPerWindow, kWindow) {}

void EventPoster::Post(const model::PodKey& key, const std::string& uid, bool warning,
                       const std::string& reason, const std::string& action,
                       const std::string& note) {
  const std::string identity = uid + "/" + reason + "/" + note;
  if (!MayTell(identity, reason)) {
    return;
  }
  model::PodEvent event;
  event.key = key;
  event.uid = uid;
  event.warning = warning;
  event.reason = reason;
  event.action = action;
  event.note = Cut(note);
  const SteadyTime give_up = clock_.SteadyNow() + kKeepTrying;
  queue_.Add("event/" + identity,
             [this, event = std::move(event), give_up] { return Write(event, give_up); });
}

// What the limit holds back counts as not told: it may be told later.
bool EventPoster::MayTell(const std::string& identity, const std::string& reason) {
  const SteadyTime now = clock_.SteadyNow();
  MutexLock lock(mutex_);
  const auto found = told_.find(identity);
  if (found != told_.end() && now - found->second < kRepeatAfter) {
    return false;
  }
  if (!limiter_.Ask(reason).allowed) {
    return false;
  }
  if (told_.size() >= kMostRemembered) {
    Forget(now);
  }
  told_[identity] = now;
  return true;
}

void EventPoster::Forget(SteadyTime now) {
  for (auto at = told_.begin(); at != told_.end();) {
    at = now - at->second >= kRepeatAfter ? told_.erase(at) : std::next(at);
  }
  if (told_.size() >= kMostRemembered) {
    told_.clear();
  }
}

// One that was perhaps written may be written twice: better than an event that nobody sees.
program::WorkQueue::Outcome EventPoster::Write(const model::PodEvent& event, SteadyTime give_up) {
  const model::WriteReply reply = writer_.PostEvent(event);
  metrics_.CountWrite(AgentWrite::kEvent, reply.outcome);
  const bool again = !reply.done() && reply.outcome != model::WriteOutcome::kNotFound &&
                     clock_.SteadyNow() < give_up;
  if (!reply.done()) {
    log_.Info("agent", "event not written",
              {{"reason", event.reason}, {"problem", reply.message}, {"again", again}});
  }
  return again ? program::WorkQueue::Outcome::kRetry : program::WorkQueue::Outcome::kDone;
}

}  // namespace aliquot::agent
