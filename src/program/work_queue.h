// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"

namespace aliquot::program {

struct WorkQueueOptions {
  // A task that asks for it runs again after this, then after twice as long, up to the longest.
  std::chrono::nanoseconds first_retry = std::chrono::seconds(1);
  std::chrono::nanoseconds longest_retry = std::chrono::seconds(60);
};

// What the threads of the watch must not do themselves: calls to the API server and retries. One
// task a key, one thread for all, so tasks never overlap. Thread-safe. Tasks must not throw; they
// may add tasks.
class WorkQueue {
 public:
  enum class Outcome { kDone, kRetry };
  using Task = std::function<Outcome()>;

  WorkQueue(const Clock& clock, const WorkQueueOptions& options)
      : clock_(clock), options_(options) {}
  ~WorkQueue() { Stop(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Runs `task` after `delay`. A task that waits under this key is replaced, and the earlier of
  // both times holds; one that runs now is run again.
  void Add(std::string_view key, Task task, std::chrono::nanoseconds delay = {});

  // Starts the thread.
  void Start();
  // Forgets what waits and lets the running task end.
  void Stop();

  // Runs on the calling thread all that is due by now; how many tasks ran. For tests, which start
  // no thread.
  int RunDue();
  std::size_t waiting() const;

 private:
  // Tasks due at the same time run in the order in which they were added.
  using Due = std::pair<SteadyTime, std::uint64_t>;
  struct Item {
    Task task;
    Due due;
    int retries = 0;
  };

  void Run();
  void Put(const std::string& key, Task task, SteadyTime at, int retries) REQUIRES(mutex_);
  bool RunOne();
  std::chrono::nanoseconds Backoff(int retries) const;

  const Clock& clock_;
  const WorkQueueOptions options_;
  mutable Mutex mutex_;
  CondVar changed_;
  StringMap<Item> items_ GUARDED_BY(mutex_);
  std::map<Due, std::string> order_ GUARDED_BY(mutex_);
  std::uint64_t serial_ GUARDED_BY(mutex_) = 0;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace aliquot::program
