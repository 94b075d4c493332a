// SPDX-License-Identifier: Apache-2.0
// Streams that capture. A capture is one graph, whichever streams work into it; each of them has
// the nodes that its next one comes after.
#include "tests/simgpu/cuda/capture.h"

#include <algorithm>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "tests/simgpu/cuda/graph.h"
#include "tests/simgpu/cuda/pool.h"

namespace aliquot::simgpu {

struct Capture {
  CUgraph graph = nullptr;
  CUstream origin = nullptr;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::uint64_t id = 0;
  bool invalid = false;
  std::thread::id thread;  // that began it
  bool into_own_graph = true;
  std::map<const void*, std::vector<CUgraphNode>> last;  // of a stream, of an event
};

namespace {

std::unordered_set<Capture*>& Open() {
  static auto* const open = new std::unordered_set<Capture*>;
  return *open;
}

CUstreamCaptureMode& ModeOfThread() {
  static thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

CUgraphNode Append(CUstream stream, CUgraphNodeType type) {
  Capture& capture = *stream->capture;
  std::vector<CUgraphNode>& last = capture.last[stream];
  CUgraphNode const node = AddNode(capture.graph, type, last.data(), last.size());
  last.assign(1, node);
  return node;
}

CUresult Begin(const Entry& entry, CUstream handle, bool per_thread, CUstreamCaptureMode mode,
               CUgraph graph = nullptr, const CUgraphNode* dependencies = nullptr,
               std::size_t count = 0) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream == stream->context->null_stream) {
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture != nullptr || (graph != nullptr && !IsGraph(graph))) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  static std::uint64_t next = 1;
  stream->capture = std::make_shared<Capture>();
  stream->capture->graph = graph == nullptr ? NewGraph() : graph;
  stream->capture->into_own_graph = graph == nullptr;
  stream->capture->origin = stream;
  stream->capture->thread = std::this_thread::get_id();
  Open().insert(stream->capture.get());
  stream->capture->mode = mode;
  stream->capture->id = next++;
  stream->capture->last[stream].assign(dependencies, dependencies + count);
  return CUDA_SUCCESS;
}

// Whether another stream still works into the capture that the origin has not joined.
bool Unjoined(const Entry& entry, const std::shared_ptr<Capture>& capture) {
  const std::vector<CUgraphNode>& own = capture->last[capture->origin];
  for (CUcontext const context : entry.driver().contexts) {
    for (CUstream const each : context->streams) {
      if (each->capture != capture || each == capture->origin) {
        continue;
      }
      // Joined when the origin's last nodes come after the other's.
      for (CUgraphNode const node : capture->last[each]) {
        std::vector<CUgraphNode> reached = own;
        for (std::size_t i = 0; i < reached.size(); ++i) {
          reached.insert(reached.end(), reached[i]->dependencies.begin(),
                         reached[i]->dependencies.end());
        }
        if (std::find(reached.begin(), reached.end(), node) == reached.end()) {
          return true;
        }
      }
    }
  }
  return false;
}

CUresult End(const Entry& entry, CUstream handle, bool per_thread, CUgraph* graph) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr || graph == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (stream->capture == nullptr) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream) {
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  const bool unjoined = Unjoined(entry, capture);
  Open().erase(capture.get());
  for (CUcontext const context : entry.driver().contexts) {
    for (CUstream const each : context->streams) {
      if (each->capture == capture) {
        each->capture.reset();
      }
    }
    for (CUevent const each : context->events) {
      if (each->capture == capture) {
        each->capture.reset();
      }
    }
  }
  if (capture->invalid || unjoined) {
    if (capture->into_own_graph) {
      EndGraph(capture->graph);
    }
    *graph = nullptr;
    return capture->invalid ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
                            : CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  *graph = capture->graph;
  return CUDA_SUCCESS;
}

CUresult Info(const Entry& entry, CUstream handle, bool per_thread, CUstreamCaptureStatus* status,
              cuuint64_t* id, CUgraph* graph, const CUgraphNode** nodes, std::size_t* count) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (status == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (stream->capture == nullptr) {
    return CUDA_SUCCESS;
  }
  Capture& capture = *stream->capture;
  *status =
      capture.invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (capture.invalid) {
    return CUDA_SUCCESS;
  }
  if (id != nullptr) {
    *id = capture.id;
  }
  if (graph != nullptr) {
    *graph = capture.graph;
  }
  if (nodes != nullptr) {
    *nodes = capture.last[stream].data();
  }
  if (count != nullptr) {
    *count = capture.last[stream].size();
  }
  return CUDA_SUCCESS;
}

CUresult ChangeDependencies(const Entry& entry, CUstream handle, bool per_thread,
                            const CUgraphNode* nodes, std::size_t count, unsigned flags) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr || stream->capture == nullptr) {
    return CUDA_ERROR_ILLEGAL_STATE;
  }
  std::vector<CUgraphNode>& last = stream->capture->last[stream];
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
    last.clear();
  }
  last.insert(last.end(), nodes, nodes + count);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult CaptureKernel(CUstream stream, const KernelWork& work) {
  CUgraphNode const node = Append(stream, CU_GRAPH_NODE_TYPE_KERNEL);
  node->kernel = work;
  node->kernel.argument_places.clear();
  for (auto& each : node->kernel.arguments) {
    node->kernel.argument_places.push_back(each.data());
  }
  return CUDA_SUCCESS;
}

CUresult CaptureCopy(CUstream stream, const CUDA_MEMCPY3D& copy) {
  Append(stream, CU_GRAPH_NODE_TYPE_MEMCPY)->copy = copy;
  return CUDA_SUCCESS;
}

CUresult CaptureSet(CUstream stream, const CUDA_MEMSET_NODE_PARAMS& set) {
  Append(stream, CU_GRAPH_NODE_TYPE_MEMSET)->set = set;
  return CUDA_SUCCESS;
}

CUresult CaptureHost(CUstream stream, const CUDA_HOST_NODE_PARAMS& host) {
  Append(stream, CU_GRAPH_NODE_TYPE_HOST)->host = host;
  return CUDA_SUCCESS;
}

CUresult CaptureGraph(CUstream stream, const CUgraph_st& graph) {
  CUgraphNode const node = Append(stream, CU_GRAPH_NODE_TYPE_GRAPH);
  CUgraph const copy = CopyGraph(graph).release();
  const CUresult answer = [&] {
    CUgraph const known = NewGraph();
    known->nodes.swap(copy->nodes);
    for (const auto& each : known->nodes) {
      each->graph = known;
    }
    known->in_node = true;
    node->child = known;
    return CUDA_SUCCESS;
  }();
  delete copy;
  return answer;
}

CUresult CaptureEvent(CUstream stream, CUevent event) {
  event->capture = stream->capture;
  stream->capture->last[event] = stream->capture->last[stream];
  return CUDA_SUCCESS;
}

CUresult CaptureWait(CUstream stream, CUevent event) {
  if (event->capture == nullptr) {
    // An event from before the capture began.
    return InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  }
  if (stream->capture != nullptr && stream->capture != event->capture) {
    return InvalidateCapture(stream, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (stream == stream->context->null_stream) {
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  stream->capture = event->capture;
  std::vector<CUgraphNode>& last = stream->capture->last[stream];
  for (CUgraphNode const each : stream->capture->last[event]) {
    if (std::find(last.begin(), last.end(), each) == last.end()) {
      last.push_back(each);
    }
  }
  return CUDA_SUCCESS;
}

CUresult CaptureAllocation(const Entry& entry, CUstream stream, CUmemoryPool pool,
                           std::uint64_t bytes, CUdeviceptr* pointer) {
  CUDA_MEM_ALLOC_NODE_PARAMS params = {};
  params.poolProps = pool->properties;
  params.bytesize = bytes;
  CUgraphNode const node = Append(stream, CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  const CUresult answer = SetAllocation(entry, node, params);
  *pointer = params.dptr;
  return answer == CUDA_SUCCESS ? answer : InvalidateCapture(stream, answer);
}

CUresult CaptureFree(const Entry&, CUstream stream, CUdeviceptr pointer) {
  Append(stream, CU_GRAPH_NODE_TYPE_MEM_FREE)->freed = pointer;
  return CUDA_SUCCESS;
}

CUresult CheckUnsafe() {
  CUresult answer = CUDA_SUCCESS;
  if (ModeOfThread() == CU_STREAM_CAPTURE_MODE_RELAXED) {
    return answer;
  }
  for (Capture* const each : Open()) {
    const bool own = each->thread == std::this_thread::get_id();
    if ((own && each->mode != CU_STREAM_CAPTURE_MODE_RELAXED) ||
        (each->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
         ModeOfThread() == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
      each->invalid = true;
      answer = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  }
  return answer;
}

CUresult InvalidateCapture(CUstream stream, CUresult answer) {
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;
  }
  return answer;
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

#define SIM_CAPTURE_CALLS(suffix, per_thread)                                                      \
  CUresult cuStreamBeginCapture##suffix(CUstream stream) {                                         \
    SIM_ENTER(kContext);                                                                           \
    return Begin(entry, stream, per_thread, CU_STREAM_CAPTURE_MODE_GLOBAL);                        \
  }                                                                                                \
  CUresult cuStreamBeginCapture_v2##suffix(CUstream stream, CUstreamCaptureMode mode) {            \
    SIM_ENTER(kContext);                                                                           \
    return Begin(entry, stream, per_thread, mode);                                                 \
  }                                                                                                \
  CUresult cuStreamBeginCaptureToGraph##suffix(                                                    \
      CUstream stream, CUgraph graph, const CUgraphNode* dependencies, const CUgraphEdgeData*,     \
      std::size_t count, CUstreamCaptureMode mode) {                                               \
    SIM_ENTER(kContext);                                                                           \
    return Begin(entry, stream, per_thread, mode, graph, dependencies, count);                     \
  }                                                                                                \
  CUresult cuStreamEndCapture##suffix(CUstream stream, CUgraph* graph) {                           \
    SIM_ENTER(kContext);                                                                           \
    return End(entry, stream, per_thread, graph);                                                  \
  }                                                                                                \
  CUresult cuStreamIsCapturing##suffix(CUstream stream, CUstreamCaptureStatus* status) {           \
    SIM_ENTER(kContext);                                                                           \
    return Info(entry, stream, per_thread, status, nullptr, nullptr, nullptr, nullptr);            \
  }                                                                                                \
  CUresult cuStreamGetCaptureInfo##suffix(CUstream stream, CUstreamCaptureStatus* status,          \
                                          cuuint64_t* id) {                                        \
    SIM_ENTER(kContext);                                                                           \
    return Info(entry, stream, per_thread, status, id, nullptr, nullptr, nullptr);                 \
  }                                                                                                \
  CUresult cuStreamGetCaptureInfo_v2##suffix(CUstream stream, CUstreamCaptureStatus* status,       \
                                             cuuint64_t* id, CUgraph* graph,                       \
                                             const CUgraphNode** nodes, std::size_t* count) {      \
    SIM_ENTER(kContext);                                                                           \
    return Info(entry, stream, per_thread, status, id, graph, nodes, count);                       \
  }                                                                                                \
  CUresult cuStreamGetCaptureInfo_v3##suffix(                                                      \
      CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,              \
      const CUgraphNode** nodes, const CUgraphEdgeData** edges, std::size_t* count) {              \
    SIM_ENTER(kContext);                                                                           \
    if (edges != nullptr) {                                                                        \
      *edges = nullptr;                                                                            \
    }                                                                                              \
    return Info(entry, stream, per_thread, status, id, graph, nodes, count);                       \
  }                                                                                                \
  CUresult cuStreamUpdateCaptureDependencies##suffix(CUstream stream, CUgraphNode* nodes,          \
                                                     std::size_t count, unsigned flags) {          \
    SIM_ENTER(kContext);                                                                           \
    return ChangeDependencies(entry, stream, per_thread, nodes, count, flags);                     \
  }                                                                                                \
  CUresult cuStreamUpdateCaptureDependencies_v2##suffix(CUstream stream, CUgraphNode* nodes,       \
                                                        const CUgraphEdgeData*, std::size_t count, \
                                                        unsigned flags) {                          \
    SIM_ENTER(kContext);                                                                           \
    return ChangeDependencies(entry, stream, per_thread, nodes, count, flags);                     \
  }
SIM_CAPTURE_CALLS(, false)
SIM_CAPTURE_CALLS(_ptsz, true)

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  SIM_ENTER(kDriver);
  if (mode == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::swap(ModeOfThread(), *mode);
  return CUDA_SUCCESS;
}
