/* SPDX-License-Identifier: Apache-2.0
 *
 * What the client programs share. Each prints one line of JSON on standard output; a call of the
 * driver that must go well and does not ends the program with 1 and says which on standard error.
 */
#ifndef ALIQUOT_TESTS_CLIENT_H
#define ALIQUOT_TESTS_CLIENT_H

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MUST(call)                                                             \
  do {                                                                         \
    const CUresult result_ = (call);                                           \
    if (result_ != CUDA_SUCCESS) {                                             \
      fprintf(stderr, "%s:%d: %s = %d\n", __FILE__, __LINE__, #call, result_); \
      exit(1);                                                                 \
    }                                                                          \
  } while (0)

/* A current context on the device, the primary one. */
static inline CUcontext UseDevice(int ordinal) {
  CUdevice device;
  CUcontext context;
  MUST(cuInit(0));
  MUST(cuDeviceGet(&device, ordinal));
  MUST(cuDevicePrimaryCtxRetain(&context, device));
  MUST(cuCtxSetCurrent(context));
  return context;
}

static inline unsigned long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec;
}

/* The kernel `spin` of the file that ALIQUOT_SPIN_PTX names: it takes as many nanoseconds as its
 * argument says. */
static inline CUfunction SpinKernel(void) {
  const char* const path = getenv("ALIQUOT_SPIN_PTX");
  CUmodule module;
  CUfunction function;
  if (path == NULL) {
    fprintf(stderr, "ALIQUOT_SPIN_PTX is not set\n");
    exit(1);
  }
  MUST(cuModuleLoad(&module, path));
  MUST(cuModuleGetFunction(&function, module, "spin"));
  return function;
}

static inline CUresult Spin(CUfunction function, unsigned long long ns, CUstream stream) {
  void* arguments[] = {&ns};
  return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

#endif
