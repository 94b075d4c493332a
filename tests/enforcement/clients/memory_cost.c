/* SPDX-License-Identifier: Apache-2.0
 * memory_cost FILE COUNT BYTES: waits for a line, then allocates and frees COUNT times, beside
 * others of its kind, and writes how many nanoseconds each pair took into FILE, 32 bits each.
 * Prints how many allocations were refused. */
#include <stdint.h>

#include "client.h"

enum { kWarmUp = 200 };

int main(int count, char** words) {
  if (count != 4) {
    return 2;
  }
  const size_t pairs = strtoull(words[2], NULL, 10);
  const size_t bytes = strtoull(words[3], NULL, 10);
  uint32_t* const took = malloc(pairs * sizeof(*took));
  unsigned long long refused = 0;
  UseDevice(0);
  if (took == NULL) {
    return 1;
  }
  printf("ready\n");
  fflush(stdout);
  getchar();
  for (size_t i = 0; i < pairs + kWarmUp; ++i) {
    CUdeviceptr pointer = 0;
    const unsigned long long start = NowNs();
    if (cuMemAlloc(&pointer, bytes) == CUDA_SUCCESS) {
      MUST(cuMemFree(pointer));
    } else {
      ++refused;
    }
    const unsigned long long end = NowNs();
    if (i >= kWarmUp) {
      took[i - kWarmUp] = (uint32_t)(end - start < UINT32_MAX ? end - start : UINT32_MAX);
    }
  }
  FILE* const file = fopen(words[1], "wb");
  if (file == NULL || fwrite(took, sizeof(*took), pairs, file) != pairs || fclose(file) != 0) {
    perror(words[1]);
    return 1;
  }
  printf("{\"refused\": %llu}\n", refused);
  free(took);
  return 0;
}
