// SPDX-License-Identifier: Apache-2.0
// Events. One is done when its stream has come to where it was recorded; its time is exact, also
// when nobody looked.
#include <algorithm>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

bool Known(const Entry& entry, CUevent event) {
  for (CUcontext const context : entry.driver().contexts) {
    if (context->events.count(event) != 0) {
      return true;
    }
  }
  return false;
}

CUresult Record(const Entry& entry, CUevent event, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr || !Known(entry, event) || event->context != stream->context) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return CaptureEvent(stream, event);
  }
  event->capture.reset();
  CUcontext const context = stream->context;
  const WorldLock lock(entry.world());
  WorldLayout& world = entry.world().layout();
  const std::uint64_t now = entry.world().Now();
  AdvanceCard(world, context->card, now);
  const bool legacy = stream == context->null_stream;
  event->recorded = true;
  event->time = now;
  event->item = legacy ? context->submissions - 1 : stream->last_item;
  event->waits = (legacy ? context->submissions != 0 : stream->has_work) &&
                 !Done(world.queue[context->queue], event->item);
  return CUDA_SUCCESS;
}

// Brings the event up to date: whether it is done.
bool IsDone(const Entry& entry, CUevent event) {
  if (event->waits) {
    {
      const WorldLock lock(entry.world());
      AdvanceCard(entry.world().layout(), event->context->card, entry.world().Now());
    }
    ResolveEvents(entry, event->context);
  }
  return !event->waits;
}

CUresult Wait(const Entry& entry, CUevent event) {
  if (!event->waits) {
    return CUDA_SUCCESS;
  }
  const CUresult answer = WaitForItem(entry, event->context, event->item);
  if (answer == CUDA_SUCCESS) {
    IsDone(entry, event);
    PoolsSynchronized(entry, event->context);
  }
  return answer;
}

CUresult Elapsed(const Entry& entry, float* milliseconds, CUevent start, CUevent end) {
  if (milliseconds == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!Known(entry, start) || !Known(entry, end) || !start->recorded || !end->recorded ||
      ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (!IsDone(entry, start) || !IsDone(entry, end)) {
    return CUDA_ERROR_NOT_READY;
  }
  *milliseconds = static_cast<float>(
      static_cast<double>(static_cast<std::int64_t>(end->time - start->time)) / 1e6);
  return CUDA_SUCCESS;
}

CUresult Destroy(const Entry& entry, CUevent event) {
  if (!Known(entry, event)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  event->context->events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

// Work of one context is done in the order of its submission, so a stream of the same context
// waits anyway. One of another does not: README.md.
CUresult WaitOnStream(const Entry& entry, CUstream handle, CUevent event, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr || !Known(entry, event)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return event->capture != nullptr || stream->capture != nullptr ? CaptureWait(stream, event)
                                                                 : CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  SIM_ENTER(kContext);
  if (event == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto* const made = new CUevent_st;
  made->context = entry.context();
  made->flags = flags;
  made->context->events.insert(made);
  *event = made;
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  SIM_ENTER(kDriver);
  return Destroy(entry, event);
}

CUresult cuEventDestroy_v2(CUevent event) {
  SIM_ENTER(kDriver);
  return Destroy(entry, event);
}

CUresult cuEventQuery(CUevent event) {
  SIM_ENTER_UNSAFE();
  if (!Known(entry, event)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return IsDone(entry, event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  SIM_ENTER_UNSAFE();
  return Known(entry, event) ? Wait(entry, event) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  SIM_ENTER(kDriver);
  return Elapsed(entry, milliseconds, start, end);
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  SIM_ENTER(kDriver);
  return Elapsed(entry, milliseconds, start, end);
}

#define SIM_EVENT_CALLS(suffix, per_thread)                                           \
  CUresult cuEventRecord##suffix(CUevent event, CUstream stream) {                    \
    SIM_ENTER(kContext);                                                              \
    return Record(entry, event, stream, per_thread);                                  \
  }                                                                                   \
  CUresult cuEventRecordWithFlags##suffix(CUevent event, CUstream stream, unsigned) { \
    SIM_ENTER(kContext);                                                              \
    return Record(entry, event, stream, per_thread);                                  \
  }                                                                                   \
  CUresult cuStreamWaitEvent##suffix(CUstream stream, CUevent event, unsigned) {      \
    SIM_ENTER(kContext);                                                              \
    return WaitOnStream(entry, stream, event, per_thread);                            \
  }
SIM_EVENT_CALLS(, false)
SIM_EVENT_CALLS(_ptsz, true)
