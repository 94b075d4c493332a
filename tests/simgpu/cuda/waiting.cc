// SPDX-License-Identifier: Apache-2.0
// Work that is queued, and waiting for it.
#include <algorithm>
#include <ctime>
#include <vector>

#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/host_function.h"
#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint32_t kStreamDepth = 1024;  // launches that a stream holds before it blocks
constexpr std::uint64_t kShortestSleepNs = 20'000;
constexpr std::uint64_t kLongestSleepNs = 2'000'000;
constexpr std::uint64_t kResolveEvery = 256;

void Sleep(std::uint64_t ns) {
  const struct timespec time = {
      0, static_cast<long>(std::clamp(ns, kShortestSleepNs, kLongestSleepNs))};
  nanosleep(&time, nullptr);
}

// Lets other threads of the process call meanwhile. The lock may be held more than once, when a
// driver's own function is the caller.
class Unlocked {
 public:
  explicit Unlocked(std::recursive_mutex& mutex) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlocked() { mutex_.lock(); }

 private:
  std::recursive_mutex& mutex_;
};

// One look at an item: how long to wait at least, 0 = it is done.
std::uint64_t Look(const Entry& entry, CUcontext context, std::uint64_t item) {
  WorldFile& world = entry.world();
  const WorldLock lock(world);
  world.ReapSometimes();
  QueueLayout& queue = world.layout().queue[context->queue];
  if (world.layout().virtual_clock != 0) {
    AdvanceUntilDone(world.layout(), context->queue, item);
    return 0;
  }
  AdvanceCard(world.layout(), context->card, world.Now());
  return Done(queue, item) ? 0 : std::max<std::uint64_t>(WorkUntil(queue, item), 1);
}

bool CardLost(const Entry& entry, CUcontext context) {
  return entry.world().layout().card[context->card].lost != 0;
}

}  // namespace

CUresult WaitForItem(const Entry& entry, CUcontext context, std::uint64_t item) {
  while (entry.driver().contexts.count(context) != 0) {
    if (CardLost(entry, context)) {
      return CUDA_ERROR_UNKNOWN;
    }
    const std::uint64_t left = Look(entry, context, item);
    if (left == 0) {
      return CUDA_SUCCESS;
    }
    const Unlocked unlocked(entry.driver().mutex);
    Sleep(left);
  }
  return CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult WaitForContext(const Entry& entry, CUcontext context) {
  const CUresult answer = context->submissions == 0
                              ? CUDA_SUCCESS
                              : WaitForItem(entry, context, context->submissions - 1);
  if (answer == CUDA_SUCCESS) {
    WaitForCalls(entry, context->null_stream);
    for (CUstream const stream :
         std::vector<CUstream>(context->streams.begin(), context->streams.end())) {
      WaitForCalls(entry, stream);
    }
    PoolsSynchronized(entry, context);
  }
  return answer;
}

CUresult WaitForStream(const Entry& entry, CUstream stream) {
  // The legacy stream comes after everything that was queued on blocking streams before.
  if (stream == stream->context->null_stream) {
    return WaitForContext(entry, stream->context);
  }
  CUcontext const context = stream->context;
  const CUresult answer =
      stream->has_work ? WaitForItem(entry, context, stream->last_item) : CUDA_SUCCESS;
  if (answer == CUDA_SUCCESS) {
    WaitForCalls(entry, stream);
    PoolsSynchronized(entry, context);
  }
  return answer;
}

bool StreamIdle(const Entry& entry, CUstream stream) {
  WorldFile& world = entry.world();
  const WorldLock lock(world);
  CUcontext const context = stream->context;
  AdvanceCard(world.layout(), context->card, world.Now());
  const QueueLayout& queue = world.layout().queue[context->queue];
  const bool legacy = stream == context->null_stream;
  const std::uint64_t last = legacy ? context->submissions - 1 : stream->last_item;
  return (legacy ? context->submissions == 0 : !stream->has_work) || Done(queue, last);
}

CUresult WaitBefore(const Entry& entry, CUstream stream) { return WaitForStream(entry, stream); }

void ResolveEvents(const Entry& entry, CUcontext context) {
  const WorldLock lock(entry.world());
  const QueueLayout& queue = entry.world().layout().queue[context->queue];
  for (CUevent const event : context->events) {
    if (event->recorded && event->waits && Done(queue, event->item)) {
      event->time = std::max(event->time, FinishedAt(queue, event->item));
      event->waits = false;
    }
  }
}

CUresult Enqueue(const Entry& entry, CUstream stream, std::uint64_t duration_ns) {
  CUcontext const context = stream->context;
  WorldFile& world = entry.world();
  while (true) {
    std::uint64_t blocked_by = 0;
    {
      const WorldLock lock(world);
      world.ReapSometimes();
      QueueLayout& queue = world.layout().queue[context->queue];
      AdvanceCard(world.layout(), context->card, world.Now());
      const bool many = queue.next - queue.first >= kStreamDepth;
      if (HasRoom(queue) && (!many || Pending(queue, stream->id) < kStreamDepth)) {
        stream->last_item =
            Submit(world.layout(), context->queue, stream->id, duration_ns, world.Now());
        stream->has_work = true;
        context->submissions = stream->last_item + 1;
        break;
      }
      blocked_by = queue.first;
    }
    if (const CUresult answer = WaitForItem(entry, context, blocked_by); answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  if (context->submissions % kResolveEvery == 0) {
    ResolveEvents(entry, context);
  }
  return CUDA_SUCCESS;
}

}  // namespace aliquot::simgpu
