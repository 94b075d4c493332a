/* SPDX-License-Identifier: Apache-2.0
 * A libcuda.so.1 with just what probe.h and the library ask, for static programs and old images: it
 * needs no C library, where the simulated driver needs a new one and its loader's thread-local
 * storage (which a static program cannot give; NVIDIA's own library needs none). One card of 80
 * GiB, GPU-00010203-0405-0607-0809-0a0b0c0d0e0f. */
#include <stddef.h>

#define CARD (80ull << 30)

static unsigned long long held;
static size_t sizes[8];
static void* current;

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }

int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? 0 : 101;
}

int cuDeviceGetUuid_v2(char* uuid, int device) {
  for (int i = 0; i < 16; ++i) {
    uuid[i] = (char)i;
  }
  return device == 0 ? 0 : 101;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = sizes;
  return device == 0 ? 0 : 101;
}

int cuCtxSetCurrent(void* context) {
  current = context;
  return context == NULL || context == sizes ? 0 : 201;
}

int cuCtxGetCurrent(void** context) {
  *context = current;
  return 0;
}

int cuCtxGetDevice(int* device) {
  *device = 0;
  return current == NULL ? 201 : 0;
}

int cuCtxPushCurrent_v2(void* context) { return cuCtxSetCurrent(context); }

int cuCtxPopCurrent_v2(void** context) {
  *context = current;
  return 0;
}

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
