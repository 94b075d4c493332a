// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/grant/decision.h"
#include "agent/health/health_book.h"
#include "agent/health/health_store.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "observability/log.h"

namespace aliquot::agent {

// The node's cards and what is known of their health at one moment. Immutable.
struct MachineView {
  bool driver = false;                                     // a driver answers
  std::string sentence;                                    // why none does, "" = it does
  Machine machine;                                         // cards that were lost since stay in it
  std::map<std::string, std::string, std::less<>> health;  // by UUID
};

struct MachineWatchOptions {
  std::chrono::milliseconds events{2000};   // one wait for events: so long may an end take
  std::chrono::milliseconds checks{15000};  // between checks of the cards
  std::chrono::milliseconds looks{60000};   // between full looks while nothing seems to change
  std::chrono::milliseconds absent{5000};   // between looks while there is no driver
  HealthOptions health;
  // Keeps over a restart of the agent which cards wait for a reset; "" = nothing does.
  std::string health_file;
};

// Watches the cards through the back end: one thread, which waits in the driver for events. Tells
// each change of state, and what is news to the pods on a card.
class MachineWatch {
 public:
  using OnState = std::function<void(std::shared_ptr<const MachineView>)>;
  using OnNews = std::function<void(const HealthNews&)>;

  // Both are called from the watch's thread. References must outlive it.
  MachineWatch(MachineWatchOptions options, GpuBackend& backend, const Clock& clock,
               observability::Log& log, OnState on_state, OnNews on_news);
  ~MachineWatch() { Stop(); }
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;

  // Takes the first look on the calling thread, so that the state is known on return.
  void Start();
  void Stop();
  // Look again soon.
  void Poke();

  std::shared_ptr<const MachineView> state() const;

 private:
  void Run();
  void Look(SteadyTime now);
  void Check(SteadyTime now);
  void WaitForEvents();
  void Pause(std::chrono::milliseconds time);
  void Tell();
  void SaveHealth();
  bool stopping() const;

  const MachineWatchOptions options_;
  GpuBackend& backend_;
  const Clock& clock_;
  observability::Log& log_;
  const OnState on_state_;
  const OnNews on_news_;

  // The thread's own (before Start: the caller's).
  HealthBook book_;
  HealthStore health_store_;
  std::string health_problem_;  // of the last save, "" = none
  Machine machine_;
  bool driver_ = false;
  bool looked_ = false;
  std::string sentence_;
  SteadyTime next_look_;
  SteadyTime next_check_;

  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  bool poked_ GUARDED_BY(mutex_) = false;
  std::shared_ptr<const MachineView> state_ GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace aliquot::agent
