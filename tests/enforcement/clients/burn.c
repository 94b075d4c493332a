/* SPDX-License-Identifier: Apache-2.0
 * burn [--ns N] [--seconds T] [--launches COUNT] [--mode queue|sync|graph|capture] [--threads K]
 *      [--streams S] [--depth D] [--nodes M] [--default-stream legacy|thread]
 * Launches kernels of N nanoseconds for so long, or so often a thread, and prints how many ran.
 *   queue    up to D of them wait in the stream at a time
 *   sync     each is waited for
 *   graph    graphs of M kernels in a row, as queue
 *   capture  records M kernels into a graph again and again and runs none of them */
#include <pthread.h>

#include "client.h"

enum { kMostThreads = 16, kMostStreams = 16 };

static unsigned long long ns = 1000000;
static double seconds = 1;
static unsigned long long most_launches = ~0ULL;
static const char* mode = "queue";
static int threads = 1;
static int streams = 1;
static int depth = 64;
static int nodes = 10;
static const char* default_stream = "";
static CUcontext context;
static CUfunction function;
static unsigned long long launched[kMostThreads];

static CUgraphExec Graph(CUstream stream) {
  CUgraph graph;
  CUgraphExec exec;
  MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  for (int i = 0; i < nodes; ++i) {
    MUST(Spin(function, ns, stream));
  }
  MUST(cuStreamEndCapture(stream, &graph));
  MUST(cuGraphInstantiate(&exec, graph, 0));
  MUST(cuGraphDestroy(graph));
  return exec;
}

/* What one stream of a thread has under way. */
struct Lane {
  CUstream stream;
  CUgraphExec graph;
  CUevent half[2]; /* after each half of the depth */
  unsigned long long launches;
};

static void Open(struct Lane* lane) {
  lane->launches = 0;
  lane->graph = NULL;
  if (strcmp(default_stream, "legacy") == 0) {
    lane->stream = CU_STREAM_LEGACY;
  } else if (strcmp(default_stream, "thread") == 0) {
    lane->stream = CU_STREAM_PER_THREAD;
  } else {
    MUST(cuStreamCreate(&lane->stream, CU_STREAM_NON_BLOCKING));
  }
  for (int i = 0; i < 2; ++i) {
    MUST(cuEventCreate(&lane->half[i], CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
  }
  if (strcmp(mode, "graph") == 0) {
    lane->graph = Graph(lane->stream);
  }
}

static void One(struct Lane* lane) {
  if (strcmp(mode, "capture") == 0) {
    MUST(cuGraphExecDestroy(Graph(lane->stream)));
    ++lane->launches;
    return;
  }
  if (lane->graph != NULL) {
    MUST(cuGraphLaunch(lane->graph, lane->stream));
  } else {
    MUST(Spin(function, ns, lane->stream));
  }
  ++lane->launches;
  if (strcmp(mode, "sync") == 0) {
    MUST(cuStreamSynchronize(lane->stream));
    return;
  }
  const unsigned long long half = (unsigned long long)(depth + 1) / 2;
  if (lane->launches % half == 0) {
    const int now = (int)(lane->launches / half % 2);
    MUST(cuEventRecord(lane->half[now], lane->stream));
    if (lane->launches >= 2 * half) {
      MUST(cuEventSynchronize(lane->half[1 - now]));
    }
  }
}

static void* Run(void* number) {
  struct Lane lane[kMostStreams];
  MUST(cuCtxSetCurrent(context));
  for (int i = 0; i < streams; ++i) {
    Open(&lane[i]);
  }
  const unsigned long long end = NowNs() + (unsigned long long)(seconds * 1e9);
  unsigned long long* const count = number;
  for (int i = 0; *count < most_launches && NowNs() < end; i = (i + 1) % streams) {
    One(&lane[i]);
    ++*count;
  }
  for (int i = 0; i < streams; ++i) {
    MUST(cuStreamSynchronize(lane[i].stream));
  }
  return NULL;
}

static int Read(int count, char** words) {
  for (int i = 1; i + 1 < count; i += 2) {
    const char* const name = words[i];
    const char* const value = words[i + 1];
    if (strcmp(name, "--ns") == 0) {
      ns = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--seconds") == 0) {
      seconds = atof(value);
    } else if (strcmp(name, "--launches") == 0) {
      most_launches = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--mode") == 0) {
      mode = value;
    } else if (strcmp(name, "--threads") == 0) {
      threads = atoi(value);
    } else if (strcmp(name, "--streams") == 0) {
      streams = atoi(value);
    } else if (strcmp(name, "--depth") == 0) {
      depth = atoi(value);
    } else if (strcmp(name, "--nodes") == 0) {
      nodes = atoi(value);
    } else if (strcmp(name, "--default-stream") == 0) {
      default_stream = value;
    } else {
      fprintf(stderr, "burn: %s is unknown\n", name);
      return 64;
    }
  }
  return threads < 1 || threads > kMostThreads || streams < 1 || streams > kMostStreams ? 64 : 0;
}

int main(int count, char** words) {
  pthread_t thread[kMostThreads];
  const int wrong = Read(count, words);
  if (wrong != 0) {
    return wrong;
  }
  context = UseDevice(0);
  function = SpinKernel();
  const unsigned long long start = NowNs();
  for (int i = 0; i < threads; ++i) {
    pthread_create(&thread[i], NULL, Run, &launched[i]);
  }
  unsigned long long launches = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(thread[i], NULL);
    launches += launched[i];
  }
  printf("{\"launches\": %llu, \"wallMs\": %.3f}\n", launches, (double)(NowNs() - start) / 1e6);
  return 0;
}
