// SPDX-License-Identifier: Apache-2.0
#include "program/work_queue.h"

#include <algorithm>

namespace aliquot::program {

void WorkQueue::Add(std::string_view key, Task task, std::chrono::nanoseconds delay) {
  {
    MutexLock lock(mutex_);
    if (stopping_) {
      return;
    }
    SteadyTime at = clock_.SteadyNow() + delay;
    int retries = 0;
    const auto waiting = items_.find(key);
    if (waiting != items_.end()) {
      at = std::min(at, waiting->second.due.first);
      retries = waiting->second.retries;
    }
    Put(std::string(key), std::move(task), at, retries);
  }
  changed_.NotifyAll();
}

void WorkQueue::Put(const std::string& key, Task task, SteadyTime at, int retries) {
  const auto old = items_.find(key);
  if (old != items_.end()) {
    order_.erase(old->second.due);
  }
  const Due due{at, serial_++};
  order_.emplace(due, key);
  items_[key] = Item{std::move(task), due, retries};
}

void WorkQueue::Start() {
  thread_ = std::thread([this] { Run(); });
}

void WorkQueue::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    items_.clear();
    order_.clear();
  }
  changed_.NotifyAll();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void WorkQueue::Run() {
  while (true) {
    while (RunOne()) {
    }
    MutexLock lock(mutex_);
    if (stopping_) {
      return;
    }
    if (order_.empty()) {
      changed_.Wait(mutex_);
      continue;
    }
    const auto left = order_.begin()->first.first - clock_.SteadyNow();
    if (left > std::chrono::nanoseconds::zero()) {
      changed_.WaitUntil(mutex_, std::chrono::steady_clock::now() + left);
    }
  }
}

int WorkQueue::RunDue() {
  int ran = 0;
  while (RunOne()) {
    ++ran;
  }
  return ran;
}

bool WorkQueue::RunOne() {
  std::string key;
  Item item;
  {
    MutexLock lock(mutex_);
    if (stopping_ || order_.empty() || order_.begin()->first.first > clock_.SteadyNow()) {
      return false;
    }
    key = order_.begin()->second;
    order_.erase(order_.begin());
    item = std::move(items_[key]);
    items_.erase(key);
  }
  const Outcome outcome = item.task();
  MutexLock lock(mutex_);
  // A task added under this key meanwhile knows more than the one that ran.
  if (outcome == Outcome::kRetry && !stopping_ && items_.find(key) == items_.end()) {
    Put(key, std::move(item.task), clock_.SteadyNow() + Backoff(item.retries), item.retries + 1);
  }
  return true;
}

std::chrono::nanoseconds WorkQueue::Backoff(int retries) const {
  std::chrono::nanoseconds wait = options_.first_retry;
  for (int i = 0; i < retries && wait < options_.longest_retry; ++i) {
    wait *= 2;
  }
  return std::min(wait, options_.longest_retry);
}

std::size_t WorkQueue::waiting() const {
  MutexLock lock(mutex_);
  return items_.size();
}

}  // namespace aliquot::program
