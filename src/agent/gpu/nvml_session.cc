// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_session.h"

#include "base/clock.h"

namespace aliquot::agent {

void NvmlSessionEnd::Set() {
  MutexLock lock(mutex_);
  set_ = true;
  changed_.NotifyAll();
}

bool NvmlSessionEnd::WaitFor(std::chrono::milliseconds limit) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + limit;
  MutexLock lock(mutex_);
  while (!set_ && changed_.WaitUntil(mutex_, deadline)) {
  }
  return set_;
}

void NvmlStop::Set() {
  MutexLock lock(mutex_);
  set_ = true;
  changed_.NotifyAll();
}

bool NvmlStop::IsSet() {
  MutexLock lock(mutex_);
  return set_;
}

void NvmlStop::SleepFor(std::chrono::milliseconds time) {
  const SteadyTime deadline = std::chrono::steady_clock::now() + time;
  MutexLock lock(mutex_);
  while (!set_ && changed_.WaitUntil(mutex_, deadline)) {
  }
}

Result<std::shared_ptr<NvmlSession>> NvmlSession::Open(
    const std::vector<std::string>& library_paths) {
  Result<std::shared_ptr<const NvmlLibrary>> library = NvmlLibrary::Load(library_paths);
  if (!library.ok()) {
    return library.status();
  }
  const nvml::Return answer = (*library)->functions().init();
  if (answer != nvml::Return::kSuccess) {
    return (*library)->Error(answer, "nvmlInit_v2");
  }
  return std::shared_ptr<NvmlSession>(new NvmlSession(std::move(*library)));
}

NvmlSession::~NvmlSession() {
  functions().shutdown();
  library_ = nullptr;
  end_->Set();
}

}  // namespace aliquot::agent
