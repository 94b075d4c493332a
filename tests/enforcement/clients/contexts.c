/* SPDX-License-Identifier: Apache-2.0
 * contexts ROUNDS: makes a context, launches into it and ends it, in turn by cuCtxDestroy, by
 * releasing the primary context and by resetting it; some with work that has not ended. Another
 * thread launches into a context of its own all the while. Prints how many launches went well. */
#include <pthread.h>
#include <stdatomic.h>

#include "client.h"

/* In every driver; the newest headers know the fourth form only. */
CUresult cuCtxCreate_v2(CUcontext* context, unsigned int flags, CUdevice on);

enum { kLaunches = 40, kKernelNs = 20000 };

static atomic_int ended;
static CUdevice device;

static unsigned long long Launch(int wait) {
  CUstream stream;
  CUfunction const function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (int i = 0; i < kLaunches; ++i) {
    MUST(Spin(function, kKernelNs, stream));
  }
  if (wait) {
    MUST(cuStreamSynchronize(stream));
  }
  return kLaunches;
}

static void* Beside(void* launches) {
  CUcontext context;
  CUstream stream;
  MUST(cuCtxCreate_v2(&context, 0, device));
  CUfunction const function = SpinKernel();
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  while (!atomic_load(&ended)) {
    MUST(Spin(function, kKernelNs, stream));
    MUST(cuStreamSynchronize(stream));
    ++*(unsigned long long*)launches;
  }
  MUST(cuCtxDestroy(context));
  return NULL;
}

int main(int count, char** words) {
  const int rounds = count > 1 ? atoi(words[1]) : 10;
  unsigned long long launches = 0;
  unsigned long long beside = 0;
  pthread_t thread;
  MUST(cuInit(0));
  MUST(cuDeviceGet(&device, 0));
  pthread_create(&thread, NULL, Beside, &beside);
  for (int i = 0; i < rounds; ++i) {
    CUcontext context;
    if (i % 3 == 0) {
      MUST(cuCtxCreate_v2(&context, 0, device));
      launches += Launch(i % 2);
      MUST(cuCtxDestroy(context));
    } else {
      MUST(cuDevicePrimaryCtxRetain(&context, device));
      MUST(cuCtxSetCurrent(context));
      launches += Launch(i % 2);
      MUST(i % 3 == 1 ? cuDevicePrimaryCtxRelease(device) : cuDevicePrimaryCtxReset(device));
      MUST(cuCtxSetCurrent(NULL));
    }
  }
  atomic_store(&ended, 1);
  pthread_join(thread, NULL);
  printf("{\"launches\": %llu, \"beside\": %s}\n", launches, beside > 0 ? "true" : "false");
  return 0;
}
