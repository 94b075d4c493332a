/* SPDX-License-Identifier: Apache-2.0
 * A user's LD_PRELOAD library with a dlsym of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>

void* dlsym(void* handle, const char* name) {
  void* (*next)(void*, const char*);
  *(void**)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  return next(handle, name);
}
