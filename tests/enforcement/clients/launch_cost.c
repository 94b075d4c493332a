/* SPDX-License-Identifier: Apache-2.0
 * launch_cost [COUNT] [NANOSECONDS]: how long one launch keeps the caller, by the clock around it.
 * The stream is emptied now and then, outside the clock, so that no launch waits for room. */
#include "client.h"

enum { kAtOnce = 256 };

static int Order(const void* a, const void* b) {
  const unsigned long long x = *(const unsigned long long*)a;
  const unsigned long long y = *(const unsigned long long*)b;
  return x < y ? -1 : x > y;
}

int main(int count, char** words) {
  const size_t launches = count > 1 ? strtoull(words[1], NULL, 10) : 20000;
  const unsigned long long ns = count > 2 ? strtoull(words[2], NULL, 10) : 1000;
  unsigned long long* const took = malloc(launches * sizeof *took);
  CUstream stream;
  if (took == NULL || launches == 0) {
    return 1;
  }
  UseDevice(0);
  CUfunction const function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < 2 * kAtOnce; ++i) {
    MUST(Spin(function, ns, stream));
  }
  MUST(cuStreamSynchronize(stream));
  for (size_t i = 0; i < launches; ++i) {
    if (i % kAtOnce == 0) {
      MUST(cuStreamSynchronize(stream));
    }
    const unsigned long long start = NowNs();
    MUST(Spin(function, ns, stream));
    took[i] = NowNs() - start;
  }
  MUST(cuStreamSynchronize(stream));
  qsort(took, launches, sizeof *took, Order);
  printf("{\"p50Ns\": %llu, \"p90Ns\": %llu, \"p99Ns\": %llu}\n", took[launches / 2],
         took[launches * 9 / 10], took[launches * 99 / 100]);
  free(took);
  return 0;
}
