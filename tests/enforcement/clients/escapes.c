/* SPDX-License-Identifier: Apache-2.0
 * escapes WAY BYTES|SECONDS: states of a process in which a library might let go of it. Prints the driver's
 * answers, one a line; the last one is that of an allocation of BYTES.
 *
 *   descriptors  the first call that asks for the share finds no free descriptor
 *   memory       it finds no address space
 *   longjmp      a signal's handler jumps out of a launch that waits
 *   pitch        rows of one byte, BYTES of them, which the driver pads
 *   capture      frees BYTES into a stream that captures, which frees nothing
 *
 * or of the time: the percent of the card that was used for so many seconds, and the longest time
 * that a launch took in ms
 *
 *   shapes       kernels of 300 ms, no two of the same shape
 *   overlapping  kernels of 5 ms, each of which may begin before the one ahead has ended
 *   captures     kernels of 5 ms, after a stream was destroyed while it captured and while another
 *                one captures
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "client.h"

static unsigned long long bytes;
static CUdeviceptr pointer;
static sigjmp_buf back;

static void Say(CUresult result) {
  printf("%d\n", result);
  fflush(stdout);
}

/* The call is made while the process may have no more than it has. */
static void Without(int resource) {
  struct rlimit before;
  struct rlimit none;
  size_t total = 0;
  MUST(cuInit(0));
  getrlimit(resource, &before);
  none = before;
  none.rlim_cur = 0;
  setrlimit(resource, &none);
  Say(cuDeviceTotalMem(&total, 0));
  setrlimit(resource, &before);
  UseDevice(0);
  Say(cuMemAlloc(&pointer, bytes));
}

static void JumpBack(int signal_number) {
  (void)signal_number;
  siglongjmp(back, 1);
}

static void OutOfALaunch(void) {
  UseDevice(0);
  const CUfunction spin = SpinKernel();
  signal(SIGALRM, JumpBack);
  for (int i = 0; i < 3; ++i) { /* the share is used up, and what a launch costs is known */
    MUST(Spin(spin, 100000000, NULL));
    MUST(cuCtxSynchronize());
  }
  if (sigsetjmp(back, 1) == 0) {
    ualarm(20000, 0);
    MUST(Spin(spin, 100000000, NULL));
    fprintf(stderr, "the launch did not wait\n");
    exit(1);
  }
  Say(cuMemAlloc(&pointer, bytes));
}

static void IntoACapture(void) {
  CUstream stream;
  CUgraph graph;
  UseDevice(0);
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  MUST(cuMemAlloc(&pointer, bytes));
  MUST(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
  cuMemFreeAsync(pointer, stream); /* may be refused */
  cuStreamEndCapture(stream, &graph);
  Say(cuMemAlloc(&pointer, bytes));
}

static CUlaunchAttribute overlaps = {.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                     .value = {.programmaticStreamSerializationAllowed = 1}};

/* Launches of `ns` each, one after another. */
static void Use(CUfunction function, unsigned long long ns, CUstream stream, int reshape,
                int overlapping) {
  const unsigned long long began = NowNs();
  unsigned long long longest = 0;
  unsigned number = 0;
  void* arguments[] = {&ns};
  while (NowNs() - began < bytes * 1000000000ULL) {
    const unsigned long long asked = NowNs();
    ++number;
    const CUlaunchConfig config = {.gridDimX = reshape ? number : 1,
                                   .gridDimY = 1,
                                   .gridDimZ = 1,
                                   .blockDimX = 1,
                                   .blockDimY = 1,
                                   .blockDimZ = 1,
                                   .hStream = stream,
                                   .attrs = &overlaps,
                                   .numAttrs = overlapping ? 1 : 0};
    MUST(cuLaunchKernelEx(&config, function, arguments, NULL));
    longest = NowNs() - asked > longest ? NowNs() - asked : longest;
    MUST(cuStreamSynchronize(stream));
  }
  printf("%llu\n%llu\n", 100 * number * ns / (NowNs() - began), longest / 1000000);
}

static void BesideCaptures(void) {
  CUstream streams[3];
  for (int i = 0; i < 3; ++i) {
    MUST(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING));
  }
  const CUfunction spin = SpinKernel();
  for (int i = 0; i < 20; ++i) { /* some are being timed when the captures begin */
    MUST(Spin(spin, 1000000, streams[0]));
  }
  MUST(cuStreamBeginCapture(streams[1], CU_STREAM_CAPTURE_MODE_RELAXED));
  MUST(cuStreamBeginCapture(streams[2], CU_STREAM_CAPTURE_MODE_RELAXED));
  MUST(cuStreamDestroy(streams[1]));
  Use(spin, 5000000, streams[0], 0, 0);
}

int main(int count, char** words) {
  if (count != 3) {
    fprintf(stderr, "usage: escapes WAY BYTES|SECONDS\n");
    return 2;
  }
  bytes = strtoull(words[2], NULL, 10);
  if (strcmp(words[1], "descriptors") == 0) {
    Without(RLIMIT_NOFILE);
  } else if (strcmp(words[1], "memory") == 0) {
    Without(RLIMIT_AS);
  } else if (strcmp(words[1], "longjmp") == 0) {
    OutOfALaunch();
  } else if (strcmp(words[1], "pitch") == 0) {
    size_t pitch = 0;
    UseDevice(0);
    Say(cuMemAllocPitch(&pointer, &pitch, 1, bytes, 4));
  } else if (strcmp(words[1], "capture") == 0) {
    IntoACapture();
  } else if (strcmp(words[1], "shapes") == 0) {
    UseDevice(0);
    Use(SpinKernel(), 300000000, NULL, 1, 0);
  } else if (strcmp(words[1], "overlapping") == 0) {
    UseDevice(0);
    Use(SpinKernel(), 5000000, NULL, 0, 1);
  } else if (strcmp(words[1], "captures") == 0) {
    UseDevice(0);
    BesideCaptures();
  } else {
    fprintf(stderr, "no such way: %s\n", words[1]);
    return 2;
  }
  return 0;
}
