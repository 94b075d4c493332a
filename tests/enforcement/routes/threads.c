/* SPDX-License-Identifier: Apache-2.0
 * threads FILE ROUNDS: 8 threads open the driver by SONAME and by FILE in turn, look up, call and
 * close, while the program forks; every answer must be the same. Then what any program reports. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

static const char* file;
static int rounds;
static void* context;
static size_t expected;
static int wrong;

static void* ByName(const char* name) { return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name); }

static void* Work(void* unused) {
  (void)unused;
  for (int i = 0; i < rounds; ++i) {
    size_t free_bytes = 0, total = 0;
    int (*set)(void*);
    int (*info)(size_t*, size_t*);
    void* const handle = dlopen(i % 2 == 0 ? "libcuda.so.1" : file, RTLD_NOW);
    *(void**)&set = handle == NULL ? NULL : dlsym(handle, "cuCtxSetCurrent");
    *(void**)&info = handle == NULL ? NULL : dlsym(handle, "cuMemGetInfo_v2");
    if (set == NULL || info == NULL || set(context) != 0 || info(&free_bytes, &total) != 0 ||
        total != expected) {
      __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    }
    if (handle != NULL) {
      dlclose(handle);
    }
  }
  return NULL;
}

static void Fork(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    void* const handle = dlopen(file, RTLD_NOW);
    _exit(handle != NULL && dlsym(handle, "cuMemAlloc_v2") != NULL ? 0 : 1);
  }
  if (waitpid(child, &status, 0) != child || status != 0) {
    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  }
}

int main(int count, char** words) {
  pthread_t thread[8];
  size_t free_bytes = 0;
  int device;
  if (count < 3) {
    return 2;
  }
  file = words[1];
  rounds = atoi(words[2]);
  if (((int (*)(unsigned))ByName("cuInit"))(0) != 0 ||
      ((int (*)(int*, int))ByName("cuDeviceGet"))(&device, 0) != 0 ||
      ((int (*)(void**, int))ByName("cuDevicePrimaryCtxRetain"))(&context, device) != 0 ||
      ((int (*)(void*))ByName("cuCtxSetCurrent"))(context) != 0 ||
      ((int (*)(size_t*, size_t*))ByName("cuMemGetInfo_v2"))(&free_bytes, &expected) != 0) {
    return Fail("the driver fails", NULL);
  }
  for (int i = 0; i < 8; ++i) {
    pthread_create(&thread[i], NULL, Work, NULL);
  }
  for (int i = 0; i < 20; ++i) {
    Fork();
  }
  for (int i = 0; i < 8; ++i) {
    pthread_join(thread[i], NULL);
  }
  if (wrong != 0) {
    fprintf(stderr, "%d wrong answers\n", wrong);
    return 1;
  }
  return Report(ByName);
}
