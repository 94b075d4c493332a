/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program sees that came to the driver's functions by some route: one line of JSON with the
 * card's memory, the answers to an allocation above and one below ROUTE_LIMIT bytes, and what it
 * has mapped as the agent's look at processes would find it. Own declarations, so that a route
 * needs no header of NVIDIA.
 */
#ifndef ALIQUOT_TESTS_ROUTES_PROBE_H
#define ALIQUOT_TESTS_ROUTES_PROBE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void* (*Finder)(const char* name);

/* Whether a mapped file's name begins like that. */
static inline int Maps(const char* prefix) {
  char line[4600];
  int found = 0;
  FILE* const maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    const char* const slash = strrchr(line, '/');
    found |= slash != NULL && strncmp(slash + 1, prefix, strlen(prefix)) == 0;
  }
  if (maps != NULL) {
    fclose(maps);
  }
  return found;
}

static inline int Fail(const char* what, const char* why) {
  printf("{\"error\": \"%s\"}\n", what);
  fprintf(stderr, "%s: %s\n", what, why == NULL ? "" : why);
  return 0;
}

static inline int Report(Finder find) {
  static const char* const names[] = {
      "cuInit",          "cuDeviceGet",     "cuDevicePrimaryCtxRetain",
      "cuCtxSetCurrent", "cuMemGetInfo_v2", "cuMemAlloc_v2",
      "cuMemFree_v2"};
  void* found[7];
  const size_t limit = strtoull(getenv("ROUTE_LIMIT"), NULL, 10);
  size_t free_bytes = 0, total = 0;
  unsigned long long pointer = 0;
  int device, result, over, under;
  void* context = NULL;
  for (int i = 0; i < 7; ++i) {
    found[i] = find(names[i]);
    if (found[i] == NULL) {
      return Fail("not found", names[i]);
    }
  }
  result = ((int (*)(unsigned))found[0])(0);
  if (result == 0) {
    result = ((int (*)(int*, int))found[1])(&device, 0);
  }
  if (result == 0) {
    result = ((int (*)(void**, int))found[2])(&context, device);
  }
  if (result == 0) {
    result = ((int (*)(void*))found[3])(context);
  }
  if (result == 0) {
    result = ((int (*)(size_t*, size_t*))found[4])(&free_bytes, &total);
  }
  if (result != 0) {
    return Fail(result == 100 ? "no device" : "the driver fails", NULL);
  }
  over = ((int (*)(unsigned long long*, size_t))found[5])(&pointer, limit + (1ull << 30));
  if (over == 0) {
    ((int (*)(unsigned long long))found[6])(pointer);
  }
  under = ((int (*)(unsigned long long*, size_t))found[5])(&pointer, limit / 4);
  if (under == 0) {
    ((int (*)(unsigned long long))found[6])(pointer);
  }
  printf("{\"total\": %zu, \"over\": %d, \"under\": %d, \"driver\": %s, \"library\": %s}\n", total,
         over, under, Maps("libcuda.so") ? "true" : "false",
         Maps("libaliquot.so") ? "true" : "false");
  fflush(stdout);
  return 0;
}

#endif
