// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_lane.h"

#include <cstdint>
#include <system_error>
#include <thread>

#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::agent {

// Held by the lane and by its thread, so that a thread left behind still finds it.
struct NvmlLane::Shared {
  Mutex mutex;
  CondVar changed;
  std::thread thread GUARDED_BY(mutex);
  std::function<void()> call GUARDED_BY(mutex);  // waits to be taken by the thread
  std::string what GUARDED_BY(mutex);            // of the call that is taken
  bool busy GUARDED_BY(mutex) = false;           // from the call's coming until its end
  bool stop GUARDED_BY(mutex) = false;
  std::uint64_t taken GUARDED_BY(mutex) = 0;  // calls so far
  std::uint64_t ended GUARDED_BY(mutex) = 0;

  void Serve();
  Status HangsError(std::chrono::milliseconds limit) const REQUIRES(mutex);
};

void NvmlLane::Shared::Serve() {
  for (;;) {
    std::function<void()> next;
    {
      MutexLock lock(mutex);
      while (!call && !stop) {
        changed.Wait(mutex);
      }
      if (!call) {
        return;
      }
      next = std::move(call);
      call = nullptr;
    }
    next();
    next = nullptr;  // what the call holds is let go of here, by the thread that may hang
    MutexLock lock(mutex);
    ++ended;
    busy = false;
    changed.NotifyAll();
  }
}

Status NvmlLane::Shared::HangsError(std::chrono::milliseconds limit) const {
  return Status(StatusCode::kDeadlineExceeded,
                "the driver has not answered for " + std::to_string(limit.count()) + " ms while " +
                    what +
                    "; look for XID errors and hung tasks in the kernel log, reboot the node if "
                    "it stays so");
}

NvmlLane::NvmlLane() : shared_(std::make_shared<Shared>()) {}

NvmlLane::~NvmlLane() {
  std::thread thread;
  bool hangs = false;
  {
    MutexLock lock(shared_->mutex);
    shared_->stop = true;
    hangs = shared_->busy;
    thread = std::move(shared_->thread);
    shared_->changed.NotifyAll();
  }
  if (thread.joinable()) {
    if (hangs) {
      thread.detach();
    } else {
      thread.join();
    }
  }
}

Status NvmlLane::RunAndWait(std::string_view what, std::chrono::milliseconds limit,
                            std::function<void()> call) {
  // The operating system's clock: this waits for another thread, it decides nothing.
  const SteadyTime deadline = std::chrono::steady_clock::now() + limit;
  Shared& shared = *shared_;
  MutexLock lock(shared.mutex);
  while (shared.busy) {
    if (!shared.changed.WaitUntil(shared.mutex, deadline) && shared.busy) {
      return shared.HangsError(limit);
    }
  }
  if (!shared.thread.joinable()) {
    try {
      shared.thread = std::thread([kept = shared_] { kept->Serve(); });
    } catch (const std::system_error& error) {
      return Status(StatusCode::kResourceExhausted,
                    std::string("no thread for the driver's calls: ") + error.what() +
                        "; raise the agent's limit of tasks");
    }
  }
  shared.busy = true;
  shared.call = std::move(call);
  shared.what = std::string(what);
  const std::uint64_t mine = ++shared.taken;
  shared.changed.NotifyAll();
  while (shared.ended < mine) {
    if (!shared.changed.WaitUntil(shared.mutex, deadline) && shared.ended < mine) {
      return shared.HangsError(limit);
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::agent
