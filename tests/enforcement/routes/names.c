/* SPDX-License-Identifier: Apache-2.0
 * names: what dlsym gives for names that the driver has and no list does, and the other way round.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

static int Call(void* function) { return function == NULL ? -1 : ((int (*)(void))function)(); }

int main(void) {
  void* const handle = dlopen("libcuda.so.1", RTLD_NOW);
  void* const missing = dlsym(handle, "cuMemAllocAsync");
  char why[512] = "";
  if (missing == NULL) {
    snprintf(why, sizeof why, "%s", dlerror());
  }
  printf(
      "{\"newer\": %d, \"newer_default\": %d, \"newer_next\": %d, \"missing\": %s, \"why\": "
      "\"%s\", ",
      Call(dlsym(handle, "cuNewerThanEveryList")),
      Call(dlsym(RTLD_DEFAULT, "cuNewerThanEveryList")),
      Call(dlsym(RTLD_NEXT, "cuNewerThanEveryList")), missing == NULL ? "true" : "false", why);
  /* Bound at link time, it cannot be missing: the stub answers for it. */
  printf("\"missing_called\": %d}\n", Call(dlsym(RTLD_DEFAULT, "cuMemAllocAsync")));
  return 0;
}
