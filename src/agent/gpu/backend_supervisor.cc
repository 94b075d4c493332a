// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/backend_supervisor.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace aliquot::agent {
namespace {

constexpr std::string_view kComponent = "gpu";

}  // namespace

BackendSupervisor::BackendSupervisor(std::unique_ptr<GpuBackend> backend, const Clock& clock,
                                     observability::Log& log)
    : backend_(std::move(backend)), clock_(clock), log_(log), next_try_(clock.SteadyNow()) {}

std::string_view BackendSupervisor::name() const {
  return Ready().ok() ? backend_->name() : "none";
}

Status BackendSupervisor::Ready() const {
  MutexLock lock(mutex_);
  if (held_) {
    return Unavailable(hold_reason_);
  }
  return driver_ == Driver::kPresent ? Status::Ok() : Unavailable(why_);
}

Status BackendSupervisor::MayLook() const {
  MutexLock lock(mutex_);
  if (held_) {
    return Unavailable(hold_reason_);
  }
  const bool early = driver_ == Driver::kAbsent && clock_.SteadyNow() < next_try_;
  return early ? Unavailable(why_) : Status::Ok();
}

Result<Machine> BackendSupervisor::Look() {
  if (Status status = MayLook(); !status.ok()) {
    return status;
  }
  Result<Machine> found = backend_->Look();
  Note(found);
  if (held()) {
    // Hold came meanwhile and has released the driver, maybe before this Look took it.
    backend_->Release();
    return Ready();
  }
  return found;
}

void BackendSupervisor::Note(const Result<Machine>& found) {
  MutexLock lock(mutex_);
  if (!found.ok()) {
    if (found.status().code() == StatusCode::kUnavailable) {
      Lost(found.status());
    }
    return;
  }
  if (driver_ != Driver::kPresent && !held_) {
    driver_ = Driver::kPresent;
    retry_ = kFirstRetry;
    log_.Info(kComponent, "the driver is there",
              {{"backend", backend_->name()},
               {"driver", found->driver},
               {"cards", static_cast<std::int64_t>(found->cards.size())}});
  }
}

void BackendSupervisor::NoteError(const Status& status) {
  MutexLock lock(mutex_);
  if (status.code() == StatusCode::kUnavailable && driver_ == Driver::kPresent) {
    Lost(status);
    next_try_ = clock_.SteadyNow();  // it may be back already
    retry_ = kFirstRetry;
  }
}

void BackendSupervisor::Lost(const Status& status) {
  if (held_) {
    return;  // it was let go of
  }
  if (driver_ != Driver::kAbsent) {
    log_.Warn(kComponent, "there is no driver; it is looked for again",
              {{"backend", backend_->name()}, {"reason", status.message()}});
  }
  driver_ = Driver::kAbsent;
  why_ = status.message();
  next_try_ = clock_.SteadyNow() + retry_;
  retry_ = std::min(2 * retry_, kLastRetry);
}

Result<std::vector<GpuEvent>> BackendSupervisor::WaitForEvents(std::chrono::milliseconds timeout) {
  if (Status status = Ready(); !status.ok()) {
    std::this_thread::sleep_for(timeout);  // so that a caller's loop does not spin
    return status;
  }
  auto events = backend_->WaitForEvents(timeout);
  NoteError(events.status());
  return events;
}

Result<std::vector<CardCheck>> BackendSupervisor::CheckCards() {
  if (Status status = Ready(); !status.ok()) {
    return status;
  }
  auto checks = backend_->CheckCards();
  NoteError(checks.status());
  return checks;
}

Result<CardFigures> BackendSupervisor::Figures(std::string_view uuid) {
  if (Status status = Ready(); !status.ok()) {
    return status;
  }
  auto figures = backend_->Figures(uuid);
  NoteError(figures.status());
  return figures;
}

Result<CardWork> BackendSupervisor::Work(std::string_view uuid, std::uint64_t since_us) {
  if (Status status = Ready(); !status.ok()) {
    return status;
  }
  auto work = backend_->Work(uuid, since_us);
  NoteError(work.status());
  return work;
}

void BackendSupervisor::Release() {
  {
    MutexLock lock(mutex_);
    driver_ = Driver::kUnknown;
    why_ = "the driver was let go of and has not been looked for since";
  }
  backend_->Release();
}

void BackendSupervisor::Hold(std::string_view reason) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    first = !held_;
    held_ = true;
    hold_reason_ = reason;
    driver_ = Driver::kUnknown;
    why_ = "the driver has not been looked for since it was held";
  }
  if (first) {
    log_.Info(kComponent, "the driver is let go of until told otherwise", {{"reason", reason}});
    backend_->Release();
  }
}

void BackendSupervisor::Resume() {
  MutexLock lock(mutex_);
  if (held_) {
    held_ = false;
    retry_ = kFirstRetry;
    log_.Info(kComponent, "the driver may be used again");
  }
}

bool BackendSupervisor::held() const {
  MutexLock lock(mutex_);
  return held_;
}

}  // namespace aliquot::agent
