/* SPDX-License-Identifier: Apache-2.0
 * A library that opens the driver and looks its functions up itself. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "probe.h"

static void* handle;

static void* ByHandle(const char* name) { return dlsym(handle, name); }

int RunPlugin(const char* file) {
  handle = dlopen(file, RTLD_NOW);
  return handle == NULL ? Fail("not opened", dlerror()) : Report(ByHandle);
}

static void* ByNext(const char* name) { return dlsym(RTLD_NEXT, name); }

int RunPluginNext(const char* file) {
  if (dlopen(file, RTLD_NOW | RTLD_GLOBAL) == NULL) {
    return Fail("not opened", dlerror());
  }
  return Report(ByNext);
}
