// SPDX-License-Identifier: Apache-2.0
// Streams.
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/driver.h"

namespace aliquot::simgpu {
namespace {

CUstream NewStream(CUcontext context, unsigned flags, int priority) {
  auto* const stream = new CUstream_st;
  stream->context = context;
  stream->id = context->next_stream++;
  stream->flags = flags;
  stream->priority = priority;
  context->streams.insert(stream);
  return stream;
}

}  // namespace

CUstream StreamOf(const Entry& entry, CUstream handle, bool per_thread) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    CUcontext const context = entry.context();
    if (handle == CU_STREAM_LEGACY || (handle == nullptr && !per_thread)) {
      return context->null_stream;
    }
    CUstream& own = context->thread_streams[std::this_thread::get_id()];
    if (own == nullptr) {
      own = NewStream(context, CU_STREAM_DEFAULT, 0);
    }
    return own;
  }
  for (CUcontext const context : entry.driver().contexts) {
    if (context->streams.count(handle) != 0) {
      return handle;
    }
  }
  return nullptr;
}

namespace {

CUresult CreateStream(const Entry& entry, CUstream* stream, unsigned flags, int priority) {
  if (stream == nullptr || flags > CU_STREAM_NON_BLOCKING) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *stream = NewStream(entry.context(), flags, priority);
  return CUDA_SUCCESS;
}

// Work of an ended stream goes on; only the handle is gone.
CUresult DestroyStream(const Entry& entry, CUstream handle) {
  CUstream const stream = StreamOf(entry, handle);
  if (stream == nullptr || stream->context->null_stream == stream) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  stream->context->streams.erase(stream);
  return CUDA_SUCCESS;
}

CUresult Synchronize(const Entry& entry, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return WaitForStream(entry, stream);
}

CUresult Query(const Entry& entry, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return StreamIdle(entry, stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

// Calls `tell(stream)` for a stream that there is.
template <typename Tell>
CUresult OfStream(const Entry& entry, CUstream handle, bool per_thread, const void* out,
                  const Tell& tell) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (out == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  tell(stream);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  SIM_ENTER(kContext);
  return CreateStream(entry, stream, flags, 0);
}

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  SIM_ENTER(kContext);
  return CreateStream(entry, stream, flags, priority);
}

CUresult cuStreamDestroy(CUstream stream) {
  SIM_ENTER(kDriver);
  return DestroyStream(entry, stream);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  SIM_ENTER(kDriver);
  return DestroyStream(entry, stream);
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  SIM_ENTER(kContext);
  if (least != nullptr) {
    *least = 0;
  }
  if (greatest != nullptr) {
    *greatest = -5;
  }
  return CUDA_SUCCESS;
}

// Each function for both kinds of default stream.
#define SIM_STREAM_CALLS(suffix, per_thread)                                            \
  CUresult cuStreamSynchronize##suffix(CUstream stream) {                               \
    SIM_ENTER(kContext);                                                                \
    return Synchronize(entry, stream, per_thread);                                      \
  }                                                                                     \
  CUresult cuStreamQuery##suffix(CUstream stream) {                                     \
    SIM_ENTER(kContext);                                                                \
    return Query(entry, stream, per_thread);                                            \
  }                                                                                     \
  CUresult cuStreamGetPriority##suffix(CUstream stream, int* priority) {                \
    SIM_ENTER(kContext);                                                                \
    return OfStream(entry, stream, per_thread, priority,                                \
                    [priority](CUstream each) { *priority = each->priority; });         \
  }                                                                                     \
  CUresult cuStreamGetFlags##suffix(CUstream stream, unsigned* flags) {                 \
    SIM_ENTER(kContext);                                                                \
    return OfStream(entry, stream, per_thread, flags,                                   \
                    [flags](CUstream each) { *flags = each->flags; });                  \
  }                                                                                     \
  CUresult cuStreamGetId##suffix(CUstream stream, unsigned long long* id) {             \
    SIM_ENTER(kContext);                                                                \
    return OfStream(entry, stream, per_thread, id,                                      \
                    [id](CUstream each) { *id = each->context->id << 32 | each->id; }); \
  }                                                                                     \
  CUresult cuStreamGetCtx##suffix(CUstream stream, CUcontext* context) {                \
    SIM_ENTER(kContext);                                                                \
    return OfStream(entry, stream, per_thread, context,                                 \
                    [context](CUstream each) { *context = each->context; });            \
  }                                                                                     \
  CUresult cuStreamGetDevice##suffix(CUstream stream, CUdevice* device) {               \
    SIM_ENTER(kContext);                                                                \
    return OfStream(entry, stream, per_thread, device,                                  \
                    [device](CUstream each) { *device = each->context->device; });      \
  }
SIM_STREAM_CALLS(, false)
SIM_STREAM_CALLS(_ptsz, true)
