/* SPDX-License-Identifier: Apache-2.0
 * A user's LD_PRELOAD library that keeps a table of the driver's functions, made before main. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char* const names[] = {
    "cuInit",          "cuDeviceGet",     "cuDevicePrimaryCtxRetain",
    "cuCtxSetCurrent", "cuMemGetInfo_v2", "cuMemAlloc_v2",
    "cuMemFree_v2"};
static void* table[7];

__attribute__((constructor)) static void Fill(void) {
  void* const handle = dlopen(getenv("ROUTE_FILE"), RTLD_NOW);
  for (int i = 0; handle != NULL && i < 7; ++i) {
    table[i] = dlsym(handle, names[i]);
  }
}

void* RouteTable(const char* name) {
  for (int i = 0; i < 7; ++i) {
    if (strcmp(names[i], name) == 0) {
      return table[i];
    }
  }
  return NULL;
}
