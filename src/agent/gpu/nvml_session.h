// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/nvml_library.h"
#include "base/mutex.h"
#include "base/status.h"

namespace aliquot::agent {

// Told when a session's last holder has let go and the library is unloaded. Thread-safe.
class NvmlSessionEnd {
 public:
  void Set();
  // False: it has not ended by then.
  bool WaitFor(std::chrono::milliseconds limit);

 private:
  Mutex mutex_;
  CondVar changed_;
  bool set_ GUARDED_BY(mutex_) = false;
};

// Asks who waits for events to come back. Thread-safe.
class NvmlStop {
 public:
  void Set();
  bool IsSet();
  // Sleeps, and wakes early when it is set.
  void SleepFor(std::chrono::milliseconds time);

 private:
  Mutex mutex_;
  CondVar changed_;
  bool set_ GUARDED_BY(mutex_) = false;
};

// NVML between nvmlInit and nvmlShutdown. Held by shared_ptr: the last holder's letting go shuts
// NVML down and unloads it, so a call that hangs keeps it and nobody unloads code that runs. Only
// a new session sees a card that was reset or added. Thread-safe, as NVML is.
class NvmlSession {
 public:
  // UNAVAILABLE: no driver. Other errors: the driver is there and refuses.
  static Result<std::shared_ptr<NvmlSession>> Open(const std::vector<std::string>& library_paths);
  ~NvmlSession();
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;

  const std::shared_ptr<const NvmlLibrary>& library() const { return library_; }
  const nvml::Functions& functions() const { return library_->functions(); }
  NvmlStop& stop() { return stop_; }
  const std::shared_ptr<NvmlSessionEnd>& end() const { return end_; }

 private:
  explicit NvmlSession(std::shared_ptr<const NvmlLibrary> library)
      : library_(std::move(library)), end_(std::make_shared<NvmlSessionEnd>()) {}

  std::shared_ptr<const NvmlLibrary> library_;
  NvmlStop stop_;
  const std::shared_ptr<NvmlSessionEnd> end_;
};

}  // namespace aliquot::agent
