// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_watch.h"

#include <algorithm>
#include <utility>

#include "agent/inventory/lost_cards.h"

namespace aliquot::agent {
namespace {

bool SameNodes(const Machine& a, const Machine& b) {
  if (a.cards.size() != b.cards.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.cards.size(); ++i) {
    if (!(a.cards[i].card == b.cards[i].card) || !(a.cards[i].node == b.cards[i].node)) {
      return false;
    }
  }
  return a.control == b.control && a.driver == b.driver && a.links == b.links && a.nics == b.nics;
}

bool SameState(const MachineView& a, const MachineView& b) {
  return a.driver == b.driver && a.sentence == b.sentence && a.health == b.health &&
         SameNodes(a.machine, b.machine);
}

}  // namespace

MachineWatch::MachineWatch(MachineWatchOptions options, GpuBackend& backend, const Clock& clock,
                           observability::Log& log, OnState on_state, OnNews on_news)
    : options_(std::move(options)),
      backend_(backend),
      clock_(clock),
      log_(log),
      on_state_(std::move(on_state)),
      on_news_(std::move(on_news)),
      book_(options_.health),
      health_store_(options_.health_file, ""),
      state_(std::make_shared<const MachineView>()) {}

void MachineWatch::Start() {
  if (!options_.health_file.empty()) {
    const Status loaded = health_store_.Load(clock_.SteadyNow(), book_);
    if (!loaded.ok()) {
      log_.Warn("agent", "health of cards not recalled", {{"problem", loaded.message()}});
    }
  }
  Look(clock_.SteadyNow());
  Tell();
  thread_ = std::thread([this] { Run(); });
}

void MachineWatch::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void MachineWatch::Poke() {
  MutexLock lock(mutex_);
  poked_ = true;
  changed_.NotifyAll();
}

std::shared_ptr<const MachineView> MachineWatch::state() const {
  MutexLock lock(mutex_);
  return state_;
}

bool MachineWatch::stopping() const {
  MutexLock lock(mutex_);
  return stopping_;
}

void MachineWatch::Run() {
  while (!stopping()) {
    if (driver_) {
      WaitForEvents();
    } else {
      Pause(options_.absent);
    }
    const SteadyTime now = clock_.SteadyNow();
    bool poked = false;
    {
      MutexLock lock(mutex_);
      poked = std::exchange(poked_, false);
    }
    if (poked || !driver_ || now >= next_look_) {
      Look(now);
    }
    if (driver_ && now >= next_check_) {
      Check(now);
    }
    Tell();
  }
}

void MachineWatch::Look(SteadyTime now) {
  next_look_ = now + options_.looks;
  auto seen = backend_.Look();
  if (!seen.ok()) {
    if (driver_ || sentence_ != seen.status().message()) {
      log_.Warn("agent", "no GPU can be seen", {{"problem", seen.status().message()}});
    }
    driver_ = false;
    sentence_ = seen.status().message();
    book_.DriverGone(sentence_, now);
    return;
  }
  if (!driver_) {
    log_.Info("agent", "GPUs are seen",
              {{"backend", backend_.name()},
               {"driver", seen->driver},
               {"cards", static_cast<std::int64_t>(seen->cards.size())}});
    for (const std::string& note : seen->notes) {
      log_.Warn("agent", "odd machine", {{"note", note}});
    }
    next_check_ = now;
  }
  driver_ = true;
  sentence_.clear();
  book_.Apply(*seen, now);
  machine_ = looked_ ? KeepLostCards(machine_, *std::move(seen)).machine : *std::move(seen);
  looked_ = true;
}

void MachineWatch::Check(SteadyTime now) {
  next_check_ = now + options_.checks;
  const auto checks = backend_.CheckCards();
  if (checks.ok()) {
    book_.Apply(*checks, now);
  } else {
    next_look_ = now;  // a look finds out what is there
  }
}

void MachineWatch::WaitForEvents() {
  const SteadyTime before = clock_.SteadyNow();
  const auto events = backend_.WaitForEvents(options_.events);
  if (!events.ok()) {
    next_look_ = clock_.SteadyNow();
    // A back end that fails at once must not make this spin.
    Pause(std::min(options_.absent, std::chrono::milliseconds(1000)));
    return;
  }
  if (!events->empty()) {
    book_.Apply(*events, clock_.SteadyNow());
    next_check_ = before;  // what else has happened to the card?
  }
}

void MachineWatch::Pause(std::chrono::milliseconds time) {
  const SteadyTime until = std::chrono::steady_clock::now() + time;
  MutexLock lock(mutex_);
  while (!stopping_ && !poked_ && changed_.WaitUntil(mutex_, until)) {
  }
}

void MachineWatch::SaveHealth() {
  if (options_.health_file.empty()) {
    return;
  }
  const Status saved = health_store_.Save(book_);
  if (!saved.ok() && saved.message() != health_problem_) {
    log_.Warn("agent", "health of cards not kept", {{"problem", saved.message()}});
  }
  health_problem_ = saved.message();
}

void MachineWatch::Tell() {
  auto state = std::make_shared<MachineView>();
  state->driver = driver_;
  state->sentence = sentence_;
  state->machine = machine_;
  for (const CardHealth& card : book_.Cards()) {
    state->health[card.uuid] = card.word;
  }
  bool changed = false;
  {
    MutexLock lock(mutex_);
    changed = !SameState(*state_, *state);
    if (changed) {
      state_ = state;
    }
  }
  if (changed) {
    on_state_(state);
  }
  SaveHealth();
  const HealthNews news = book_.TakeNews();
  if (!news.changes.empty() || !news.xids.empty()) {
    on_news_(news);
  }
}

}  // namespace aliquot::agent
