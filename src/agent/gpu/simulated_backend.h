// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/gpu/machine_profile.h"
#include "agent/gpu/machine_state.h"
#include "agent/gpu/state_file.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"

namespace aliquot::agent {

// A machine that is not there: its cards, links and device nodes come from a machine profile, and
// what happens to it from a state file beside it (profiles/README.md), which is read again when it
// has changed. Nothing is opened under /dev. Thread-safe; one thread waits for events.
//
// As with NVML, events are told from the first Look on: what the state file holds by then is
// history, and so is what happens while the driver is absent or let go of.
class SimulatedBackend final : public GpuBackend {
 public:
  // `state_path` may be "", or name a file that does not exist (yet): then the machine is intact.
  // The clock must outlive the back end.
  static Result<std::unique_ptr<SimulatedBackend>> Create(const std::string& profile_path,
                                                          std::string state_path,
                                                          const Clock& clock);

  std::string_view name() const override { return "simulated"; }
  Result<Machine> Look() override;
  // A state file that cannot be used is an error, after the time-out: whoever calls in a loop does
  // not spin.
  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds timeout) override;
  Result<std::vector<CardCheck>> CheckCards() override;
  Result<CardFigures> Figures(std::string_view uuid) override;
  // As the state file says; each process is sampled at each call.
  Result<CardWork> Work(std::string_view uuid, std::uint64_t since_us) override;
  void Release() override;

 private:
  SimulatedBackend(MachineProfile profile, std::string state_path, const Clock& clock);

  // The state of now. UNAVAILABLE when the driver is absent.
  Result<MachineState> State() REQUIRES(mutex_);
  // The same for a client of the driver: UNAVAILABLE before the first Look and after Release, too.
  Result<MachineState> TakenState() REQUIRES(mutex_);
  void TakeAsHistory(const MachineState& state) REQUIRES(mutex_);
  Result<std::vector<GpuEvent>> NewEvents();

  const MachineProfile profile_;
  const Clock& clock_;
  Mutex mutex_;
  StateFile file_ GUARDED_BY(mutex_);
  FileWatch watch_;
  bool taken_ GUARDED_BY(mutex_) = false;
  std::uint64_t last_sequence_ GUARDED_BY(mutex_) = 0;  // told, or history
};

}  // namespace aliquot::agent
