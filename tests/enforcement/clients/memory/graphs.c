/* SPDX-License-Identifier: Apache-2.0
 * Graphs whose nodes allocate. */
#include "memory_commands.h"

static CUgraphExec execs[kMostObjects];

typedef const unsigned long long* Arguments;

/* Each node allocates; freed at the end of the graph, or in a chain before the next allocates. */
static CUresult MakeGraph(Arguments a, unsigned long long flags, int chain) {
  CUgraph graph;
  CUgraphNode last = NULL;
  CUdeviceptr made[kMostArguments];
  int count = 0;
  MUST(cuGraphCreate(&graph, 0));
  for (; count + 1 < kMostArguments && a[count + 1] != 0; ++count) {
    CUDA_MEM_ALLOC_NODE_PARAMS params;
    memset(&params, 0, sizeof(params));
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = a[count + 1];
    MUST(cuGraphAddMemAllocNode(&last, graph, last == NULL ? NULL : &last, last == NULL ? 0 : 1,
                                &params));
    made[count] = params.dptr;
    if (chain) {
      MUST(cuGraphAddMemFreeNode(&last, graph, &last, 1, params.dptr));
    }
  }
  for (int i = 0; i < count && !chain; ++i) {
    MUST(cuGraphAddMemFreeNode(&last, graph, &last, 1, made[i]));
  }
  CUDA_GRAPH_INSTANTIATE_PARAMS params;
  memset(&params, 0, sizeof(params));
  params.flags = flags;
  const CUresult result = cuGraphInstantiateWithParams(&execs[a[0]], graph, &params);
  MUST(cuGraphDestroy(graph));
  return result;
}

static CUresult Graph(Arguments a) { return MakeGraph(a, 0, 0); }

static CUresult Chain(Arguments a) { return MakeGraph(a, 0, 1); }

static CUresult GraphAtOnce(Arguments a) {
  return MakeGraph(a, CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD, 0);
}

static CUresult Capture(Arguments a) {
  CUgraph graph;
  CUstream stream;
  CUdeviceptr pointer;
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const CUresult inside = cuMemAllocAsync(&pointer, a[1], stream);
  if (inside == CUDA_SUCCESS) {
    MUST(cuMemFreeAsync(pointer, stream));
  }
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuGraphInstantiate(&execs[a[0]], graph, 0));
  MUST(cuGraphDestroy(graph));
  return inside;
}

static CUresult Launch(Arguments a) {
  const CUresult result = cuGraphLaunch(execs[a[0]], NULL);
  MUST(cuCtxSynchronize());
  return result;
}

static CUresult Upload(Arguments a) { return cuGraphUpload(execs[a[0]], NULL); }

static CUresult ExecEnd(Arguments a) { return cuGraphExecDestroy(execs[a[0]]); }

static CUresult GraphTrim(Arguments a) {
  (void)a;
  return cuDeviceGraphMemTrim(0);
}

static CUresult GraphInfo(Arguments a) {
  cuuint64_t reserved = 0;
  (void)a;
  const CUresult result =
      cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &reserved);
  snprintf(extra, sizeof(extra), ", \"reserved\": %llu", (unsigned long long)reserved);
  return result;
}

const Command kGraphCommands[] = {
    {"graph", Graph},     {"chain", Chain},         {"graphnow", GraphAtOnce},
    {"capture", Capture}, {"launch", Launch},       {"upload", Upload},
    {"execend", ExecEnd}, {"graphtrim", GraphTrim}, {"graphinfo", GraphInfo},
    {NULL, NULL},
};
