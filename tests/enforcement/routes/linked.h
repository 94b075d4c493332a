/* SPDX-License-Identifier: Apache-2.0
 * The driver's functions as a program gets them that is linked with -lcuda. */
#ifndef ALIQUOT_TESTS_ROUTES_LINKED_H
#define ALIQUOT_TESTS_ROUTES_LINKED_H

#include "probe.h"

extern int cuInit(unsigned), cuDeviceGet(int*, int), cuDevicePrimaryCtxRetain(void**, int),
    cuCtxSetCurrent(void*), cuMemGetInfo_v2(size_t*, size_t*),
    cuMemAlloc_v2(unsigned long long*, size_t), cuMemFree_v2(unsigned long long);

static void* ByLink(const char* name) {
#define IF_NAMED(function)            \
  if (strcmp(name, #function) == 0) { \
    return (void*)function;           \
  }
  IF_NAMED(cuInit)
  IF_NAMED(cuDeviceGet)
  IF_NAMED(cuDevicePrimaryCtxRetain)
  IF_NAMED(cuCtxSetCurrent)
  IF_NAMED(cuMemGetInfo_v2)
  IF_NAMED(cuMemAlloc_v2)
  IF_NAMED(cuMemFree_v2)
  return NULL;
}

#endif
