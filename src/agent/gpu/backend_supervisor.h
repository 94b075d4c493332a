// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/backend.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "observability/log.h"

namespace aliquot::agent {

// Stands before a back end whose driver comes and goes, and answers like "none" while it is gone:
// UNAVAILABLE with the reason. The driver is tried again by the caller's Look, at once the first
// time and then no sooner than 1, 2, 4, 8, 10, 10, .. s apart; every other call is answered without
// touching it until a Look has succeeded. There is no thread. What changes is logged once.
//
// Hold: someone is about to unload the driver or to repartition the cards (NVIDIA's GPU Operator
// says so in labels of the node). The back end is released, and nothing touches the driver until
// Resume.
//
// Thread-safe. The driver is never called under the lock; a Look that was under way when Hold came
// lets go of the driver before it returns. Clock and log must outlive it.
class BackendSupervisor final : public GpuBackend {
 public:
  static constexpr std::chrono::seconds kFirstRetry{1};
  static constexpr std::chrono::seconds kLastRetry{10};

  BackendSupervisor(std::unique_ptr<GpuBackend> backend, const Clock& clock,
                    observability::Log& log);

  // The back end's name after a successful Look, "none" while there is no driver or it is held.
  std::string_view name() const override;
  Result<Machine> Look() override;
  Result<std::vector<GpuEvent>> WaitForEvents(std::chrono::milliseconds timeout) override;
  Result<std::vector<CardCheck>> CheckCards() override;
  Result<CardFigures> Figures(std::string_view uuid) override;
  Result<CardWork> Work(std::string_view uuid, std::uint64_t since_us) override;
  // The next Look takes the driver again, at once.
  void Release() override;

  // `reason` is what UNAVAILABLE says meanwhile, one sentence. Holding again changes the reason.
  void Hold(std::string_view reason);
  // Without effect when not held.
  void Resume();
  bool held() const;

 private:
  enum class Driver { kUnknown, kAbsent, kPresent };

  // OK when the driver may be asked.
  Status Ready() const;
  // Why a Look may not try the driver now, or OK.
  Status MayLook() const;
  // Takes in what a Look said.
  void Note(const Result<Machine>& found);
  // Takes in the error of another call: UNAVAILABLE means that the driver is gone.
  void NoteError(const Status& status);
  void Lost(const Status& status) REQUIRES(mutex_);

  const std::unique_ptr<GpuBackend> backend_;
  const Clock& clock_;
  observability::Log& log_;
  mutable Mutex mutex_;
  Driver driver_ GUARDED_BY(mutex_) = Driver::kUnknown;
  bool held_ GUARDED_BY(mutex_) = false;
  std::string hold_reason_ GUARDED_BY(mutex_);
  std::string why_ GUARDED_BY(mutex_) = "the driver has not been looked for yet";
  SteadyTime next_try_ GUARDED_BY(mutex_);
  std::chrono::seconds retry_ GUARDED_BY(mutex_) = kFirstRetry;
};

}  // namespace aliquot::agent
