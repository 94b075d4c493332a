// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/cancellation.h"

#include <utility>

namespace aliquot::kubeclient {

void Cancellation::Cancel() {
  MutexLock lock(mutex_);
  cancelled_ = true;
  if (wake_) wake_();
  changed_.NotifyAll();
}

bool Cancellation::cancelled() const {
  MutexLock lock(mutex_);
  return cancelled_;
}

bool Cancellation::WaitUntil(SteadyTime deadline) {
  MutexLock lock(mutex_);
  while (!cancelled_) {
    if (!changed_.WaitUntil(mutex_, deadline)) return cancelled_;
  }
  return true;
}

Cancellation::Waker::Waker(Cancellation& cancellation, std::function<void()> wake)
    : cancellation_(cancellation) {
  MutexLock lock(cancellation_.mutex_);
  cancellation_.wake_ = std::move(wake);
}

Cancellation::Waker::~Waker() {
  MutexLock lock(cancellation_.mutex_);
  cancellation_.wake_ = nullptr;
}

}  // namespace aliquot::kubeclient
