/* SPDX-License-Identifier: Apache-2.0
 * A user's LD_PRELOAD library under the driver's own name, which opens the driver by its path
 * (ROUTE_FILE) and forwards: a profiler or another layer that shares cards. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

static void* Next(const char* name) {
  void* const driver = dlopen(getenv("ROUTE_FILE"), RTLD_NOW);
  return driver == NULL ? NULL : dlsym(driver, name);
}

#define FORWARD(name, parameters, arguments)                    \
  int name parameters {                                         \
    int(*next) parameters;                                      \
    *(void**)&next = Next(#name);                               \
    return next == NULL || next == name ? 999 : next arguments; \
  }

FORWARD(cuInit, (unsigned flags), (flags))
FORWARD(cuDeviceGet, (int* device, int ordinal), (device, ordinal))
FORWARD(cuDevicePrimaryCtxRetain, (void** context, int device), (context, device))
FORWARD(cuCtxSetCurrent, (void* context), (context))
FORWARD(cuMemGetInfo_v2, (size_t * free_bytes, size_t* total), (free_bytes, total))
FORWARD(cuMemAlloc_v2, (unsigned long long* pointer, size_t size), (pointer, size))
FORWARD(cuMemFree_v2, (unsigned long long pointer), (pointer))
