/* SPDX-License-Identifier: Apache-2.0
 * A libcuda.so.1 with just what probe.h asks, for static programs: glibc cannot load the simulated
 * driver into one, since that needs the loader's thread-local storage (NVIDIA's own library does
 * not). One card of 80 GiB. */
#include <stddef.h>

#define CARD (80ull << 30)

static unsigned long long held;
static size_t sizes[8];

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = sizes;
  return device == 0 ? 0 : 101;
}

int cuCtxSetCurrent(void* context) { return context == sizes ? 0 : 201; }

int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) {
  *total = CARD;
  *free_bytes = CARD - held;
  return 0;
}

int cuMemAlloc_v2(unsigned long long* pointer, size_t size) {
  for (int i = 0; i < 8 && held + size <= CARD; ++i) {
    if (sizes[i] == 0) {
      sizes[i] = size;
      held += size;
      *pointer = (unsigned long long)i + 1;
      return 0;
    }
  }
  return 2;
}

int cuMemFree_v2(unsigned long long pointer) {
  if (pointer == 0 || pointer > 8) {
    return 1;
  }
  held -= sizes[pointer - 1];
  sizes[pointer - 1] = 0;
  return 0;
}

int cuNewerThanEveryList(void) { return 4711; }
