// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "base/mutex.h"

namespace aliquot::extender {

// A fixed number of threads that run tasks in the order given: blocking calls to the API server are
// made here, so that the caller can stop waiting for them. Thread-safe. Tasks must not throw.
class TaskPool {
 public:
  explicit TaskPool(int threads);
  // Forgets tasks that have not begun and waits for those that have.
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  void Submit(std::function<void()> task);
  // The same as the destructor; later tasks are forgotten.
  void Stop();

 private:
  void Run();

  Mutex mutex_;
  CondVar work_;
  std::deque<std::function<void()>> tasks_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace aliquot::extender
