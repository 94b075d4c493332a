// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/simulated_backend.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace aliquot::agent {
namespace {

Status NoDriver() {
  return Unavailable("the simulated driver is absent; the state file says driver: absent");
}

Status NotTaken() {
  return Unavailable("the simulated driver has not been looked at since it was let go of");
}

}  // namespace

SimulatedBackend::SimulatedBackend(MachineProfile profile, std::string state_path,
                                   const Clock& clock)
    : profile_(std::move(profile)), clock_(clock), file_(state_path), watch_(state_path) {}

Result<std::unique_ptr<SimulatedBackend>> SimulatedBackend::Create(const std::string& profile_path,
                                                                   std::string state_path,
                                                                   const Clock& clock) {
  auto profile = LoadMachineProfile(profile_path);
  if (!profile.ok()) {
    return profile.status();
  }
  return std::unique_ptr<SimulatedBackend>(
      new SimulatedBackend(*std::move(profile), std::move(state_path), clock));
}

Result<MachineState> SimulatedBackend::State() {
  auto state = file_.Read(profile_);
  if (state.ok() && !state->driver_present) {
    TakeAsHistory(*state);
    taken_ = false;
    return NoDriver();
  }
  return state;
}

Result<MachineState> SimulatedBackend::TakenState() {
  auto state = State();
  if (state.ok() && !taken_) {
    return NotTaken();
  }
  return state;
}

void SimulatedBackend::TakeAsHistory(const MachineState& state) {
  if (!state.events.empty()) {
    last_sequence_ = std::max(last_sequence_, state.events.back().sequence);
  }
}

Result<Machine> SimulatedBackend::Look() {
  MutexLock lock(mutex_);
  const auto state = State();
  if (!state.ok()) {
    return state.status();
  }
  if (!taken_) {
    TakeAsHistory(*state);
    taken_ = true;
  }
  return MachineInState(profile_, *state);
}

Result<std::vector<GpuEvent>> SimulatedBackend::NewEvents() {
  MutexLock lock(mutex_);
  const auto state = TakenState();
  if (!state.ok()) {
    return state.status();
  }
  std::vector<GpuEvent> events;
  for (const StateEvent& each : state->events) {
    if (each.sequence > last_sequence_) {
      events.push_back(each.event);
    }
  }
  TakeAsHistory(*state);
  return events;
}

Result<std::vector<GpuEvent>> SimulatedBackend::WaitForEvents(std::chrono::milliseconds timeout) {
  const SteadyTime deadline = clock_.SteadyNow() + timeout;
  while (true) {
    auto events = NewEvents();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock_.SteadyNow());
    if ((events.ok() && !events->empty()) || left.count() <= 0) {
      return events;
    }
    watch_.Wait(left);
  }
}

Result<std::vector<CardCheck>> SimulatedBackend::CheckCards() {
  MutexLock lock(mutex_);
  const auto state = TakenState();
  if (!state.ok()) {
    return state.status();
  }
  std::vector<CardCheck> checks;
  for (const CardState& card : state->cards) {
    CardCheck check;
    check.uuid = card.uuid;
    check.present = !card.lost;
    // A lost card answers nothing more.
    check.uncorrectable_pending = check.present && card.uncorrectable_pending;
    check.remap_failed = check.present && card.remap_failed;
    checks.push_back(std::move(check));
  }
  return checks;
}

Result<CardFigures> SimulatedBackend::Figures(std::string_view uuid) {
  MutexLock lock(mutex_);
  const auto state = TakenState();
  if (!state.ok()) {
    return state.status();
  }
  const auto at = std::find_if(state->cards.begin(), state->cards.end(),
                               [uuid](const CardState& card) { return card.uuid == uuid; });
  if (at == state->cards.end() || at->lost) {
    return NotFound("the machine has no card " + Printable(uuid) + " (any more)");
  }
  return at->figures;
}

Result<CardWork> SimulatedBackend::Work(std::string_view uuid, std::uint64_t since_us) {
  const auto figures = Figures(uuid);
  if (!figures.ok()) {
    return figures.status();
  }
  const auto now = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(clock_.SteadyNow().time_since_epoch())
          .count());
  CardWork work;
  for (const CardProcess& process : figures->processes) {
    CardWork::Memory memory;
    memory.pid = process.pid;
    if (process.mib >= 0) {
      memory.bytes = static_cast<std::uint64_t>(process.mib) << 20;
    }
    work.processes.push_back(memory);
    work.sampled = work.sampled || process.sm_percent >= 0;
    if (process.sm_percent > 0 && now > since_us) {
      work.samples.push_back({process.pid, now, process.sm_percent});
    }
  }
  return work;
}

void SimulatedBackend::Release() {
  MutexLock lock(mutex_);
  taken_ = false;
}

}  // namespace aliquot::agent
