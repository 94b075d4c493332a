/* SPDX-License-Identifier: Apache-2.0
 * spin NANOSECONDS COUNT: launches so many kernels of that length, waits for all, and prints how
 * long the card needed from first to last by its own events, and how long it took here. */
#include "client.h"

int main(int count, char** words) {
  const unsigned long long ns = count > 1 ? strtoull(words[1], NULL, 10) : 1000000;
  const int launches = count > 2 ? atoi(words[2]) : 1;
  CUevent first;
  CUevent last;
  CUstream stream;
  float milliseconds = 0;
  UseDevice(0);
  CUfunction const function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  MUST(cuEventCreate(&first, CU_EVENT_DEFAULT));
  MUST(cuEventCreate(&last, CU_EVENT_DEFAULT));
  const unsigned long long start = NowNs();
  MUST(cuEventRecord(first, stream));
  for (int i = 0; i < launches; ++i) {
    MUST(Spin(function, ns, stream));
  }
  MUST(cuEventRecord(last, stream));
  MUST(cuStreamSynchronize(stream));
  const unsigned long long end = NowNs();
  MUST(cuEventElapsedTime(&milliseconds, first, last));
  printf("{\"launches\": %d, \"cardMs\": %.6f, \"wallMs\": %.6f}\n", launches, milliseconds,
         (double)(end - start) / 1e6);
  return 0;
}
