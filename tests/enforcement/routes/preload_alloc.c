/* SPDX-License-Identifier: Apache-2.0
 * A user's LD_PRELOAD library that stands before cuMemAlloc_v2 and calls the next one. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

int cuMemAlloc_v2(unsigned long long* pointer, size_t size) {
  int (*next)(unsigned long long*, size_t);
  *(void**)&next = dlsym(RTLD_NEXT, "cuMemAlloc_v2");
  fprintf(stderr, "through the user's library\n");
  return next == NULL ? 999 : next(pointer, size);
}
