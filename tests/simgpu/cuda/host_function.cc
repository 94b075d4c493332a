// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/host_function.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

#include "tests/simgpu/cuda/capture.h"

namespace aliquot::simgpu {
namespace {

struct Call {
  CUstream stream;
  bool waits;
  std::uint64_t item;
  std::function<void()> function;
};

// Never destroyed: its thread may outlive the program's last line.
struct Caller {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Call> calls;
  std::uint64_t added = 0;
  std::uint64_t done = 0;
};

void Work(Caller& caller) {
  while (true) {
    std::unique_lock<std::mutex> lock(caller.mutex);
    caller.changed.wait(lock, [&caller] { return !caller.calls.empty(); });
    const Call call = caller.calls.front();
    lock.unlock();
    if (call.waits) {
      const Entry entry("", Needs::kDriver);
      WaitForItem(entry, call.stream->context, call.item);
    }
    call.function();
    lock.lock();
    caller.calls.pop_front();
    ++caller.done;
    caller.changed.notify_all();
  }
}

Caller& TheCaller() {
  static Caller* const caller = [] {
    auto* const made = new Caller;
    std::thread([made] { Work(*made); }).detach();
    return made;
  }();
  return *caller;
}

void Add(CUstream stream, std::function<void()> function) {
  Caller& caller = TheCaller();
  const std::lock_guard<std::mutex> lock(caller.mutex);
  caller.calls.push_back({stream, stream->has_work, stream->last_item, std::move(function)});
  stream->last_call = ++caller.added;
  caller.changed.notify_all();
}

CUresult LaunchHost(const Entry& entry, CUstream handle, bool per_thread, CUhostFn function,
                    void* data) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (function == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return stream->capture != nullptr ? CaptureHost(stream, {function, data})
                                    : CallLater(entry, stream, function, data);
}

}  // namespace

CUresult CallLater(const Entry&, CUstream stream, CUhostFn function, void* data) {
  Add(stream, [function, data] { function(data); });
  return CUDA_SUCCESS;
}

CUresult CallbackLater(const Entry&, CUstream stream, CUstreamCallback callback, void* data,
                       CUstream handle) {
  Add(stream, [callback, data, handle] { callback(handle, CUDA_SUCCESS, data); });
  return CUDA_SUCCESS;
}

void WaitForCalls(const Entry& entry, CUstream stream) {
  if (stream->last_call == 0) {
    return;
  }
  const std::uint64_t wanted = stream->last_call;
  Caller& caller = TheCaller();
  entry.driver().mutex.unlock();
  {
    std::unique_lock<std::mutex> lock(caller.mutex);
    caller.changed.wait(lock, [&] { return caller.done >= wanted; });
  }
  entry.driver().mutex.lock();
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

#define SIM_HOST_CALLS(suffix, per_thread)                                                     \
  CUresult cuLaunchHostFunc##suffix(CUstream stream, CUhostFn function, void* data) {          \
    SIM_ENTER(kContext);                                                                       \
    return LaunchHost(entry, stream, per_thread, function, data);                              \
  }                                                                                            \
  CUresult cuStreamAddCallback##suffix(CUstream handle, CUstreamCallback callback, void* data, \
                                       unsigned flags) {                                       \
    SIM_ENTER(kContext);                                                                       \
    CUstream const stream = StreamOf(entry, handle, per_thread);                               \
    if (stream == nullptr) {                                                                   \
      return CUDA_ERROR_INVALID_HANDLE;                                                        \
    }                                                                                          \
    if (callback == nullptr || flags != 0) {                                                   \
      return CUDA_ERROR_INVALID_VALUE;                                                         \
    }                                                                                          \
    return stream->capture != nullptr                                                          \
               ? InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)              \
               : CallbackLater(entry, stream, callback, data, handle);                         \
  }
SIM_HOST_CALLS(, false)
SIM_HOST_CALLS(_ptsz, true)
