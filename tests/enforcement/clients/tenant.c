/* SPDX-License-Identifier: Apache-2.0
 * tenant [--hold BYTES] [--burn NANOSECONDS]: what a pod does with its share. Allocates and prints
 * what came of it, or null; then launches kernels of that length one after the other, two under way
 * at a time, until SIGTERM or SIGINT; without a length it only waits. In the end it prints how many
 * kernels ran. */
#include <signal.h>
#include <unistd.h>

#include "client.h"

enum { kUnderWay = 2 };

static volatile sig_atomic_t ended;

static void End(int number) { ended = number; }

static unsigned long long Burn(unsigned long long ns) {
  unsigned long long launches = 0;
  CUevent done[kUnderWay];
  CUstream stream;
  CUfunction const function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < kUnderWay; ++i) {
    MUST(cuEventCreate(&done[i], CU_EVENT_DISABLE_TIMING | CU_EVENT_BLOCKING_SYNC));
  }
  while (!ended) {
    CUevent const mine = done[launches % kUnderWay];
    if (launches >= kUnderWay) {
      MUST(cuEventSynchronize(mine));
    }
    MUST(Spin(function, ns, stream));
    MUST(cuEventRecord(mine, stream));
    ++launches;
  }
  MUST(cuStreamSynchronize(stream));
  return launches;
}

int main(int count, char** words) {
  unsigned long long launches = 0;
  unsigned long long hold = 0;
  unsigned long long burn = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    if (strcmp(words[i], "--hold") == 0) {
      hold = strtoull(words[i + 1], NULL, 10);
    } else if (strcmp(words[i], "--burn") == 0) {
      burn = strtoull(words[i + 1], NULL, 10);
    } else {
      fprintf(stderr, "tenant: %s is unknown\n", words[i]);
      return 64;
    }
  }
  signal(SIGTERM, End);
  signal(SIGINT, End);
  UseDevice(0);
  if (hold > 0) {
    CUdeviceptr pointer;
    printf("{\"hold\": %d}\n", cuMemAlloc(&pointer, hold));
  } else {
    printf("{\"hold\": null}\n");
  }
  fflush(stdout);
  if (burn > 0) {
    launches = Burn(burn);
  }
  while (!ended) {
    pause();
  }
  printf("{\"launches\": %llu}\n", launches);
  return 0;
}
