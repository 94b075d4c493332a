// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::kubeclient {

// Asks one thread to give up what it does: waiting (WaitUntil) or a request in flight (a waker).
// Thread-safe. Once cancelled it stays so.
class Cancellation {
 public:
  void Cancel();
  bool cancelled() const;
  // True when cancelled, false when `deadline` has passed on the real steady clock.
  bool WaitUntil(SteadyTime deadline);

  // While it lives, Cancel calls `wake` (under a lock: it must be short and must not call back).
  class Waker {
   public:
    Waker(Cancellation& cancellation, std::function<void()> wake);
    ~Waker();
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;

   private:
    Cancellation& cancellation_;
  };

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool cancelled_ GUARDED_BY(mutex_) = false;
  std::function<void()> wake_ GUARDED_BY(mutex_);  // the one request that its thread has in flight
};

}  // namespace aliquot::kubeclient
