// SPDX-License-Identifier: Apache-2.0
#include "extender/task_pool.h"

#include <utility>

namespace aliquot::extender {

TaskPool::TaskPool(int threads) {
  threads_.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { Run(); });
  }
}

TaskPool::~TaskPool() { Stop(); }

void TaskPool::Submit(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    if (stopping_) {
      return;
    }
    tasks_.push_back(std::move(task));
  }
  work_.NotifyOne();
}

void TaskPool::Stop() {
  std::deque<std::function<void()>> forgotten;
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    forgotten.swap(tasks_);
  }
  work_.NotifyAll();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void TaskPool::Run() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mutex_);
      while (tasks_.empty() && !stopping_) {
        work_.Wait(mutex_);
      }
      if (stopping_) {
        return;
      }
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace aliquot::extender
