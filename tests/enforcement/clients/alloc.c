/* SPDX-License-Identifier: Apache-2.0
 * alloc BYTES [BYTES..]: allocates each with cuMemAlloc and keeps them; prints the results and what
 * is free then. With a line on standard input it frees them and prints what is free again. */
#include "client.h"

enum { kMost = 4096 };

int main(int count, char** words) {
  static CUdeviceptr pointers[kMost];
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  UseDevice(0);
  printf("{\"results\": [");
  for (int i = 1; i < count && i < kMost; ++i) {
    const CUresult result = cuMemAlloc(&pointers[i], strtoull(words[i], NULL, 10));
    pointers[i] = result == CUDA_SUCCESS ? pointers[i] : 0;
    printf("%s%d", i > 1 ? ", " : "", result);
  }
  MUST(cuMemGetInfo(&free_bytes, &total_bytes));
  printf("], \"total\": %zu, \"free\": %zu}\n", total_bytes, free_bytes);
  fflush(stdout);
  if (getchar() == EOF) {
    return 0;
  }
  for (int i = 1; i < count && i < kMost; ++i) {
    MUST(cuMemFree(pointers[i]));
  }
  MUST(cuMemGetInfo(&free_bytes, &total_bytes));
  printf("{\"total\": %zu, \"free\": %zu}\n", total_bytes, free_bytes);
  return 0;
}
