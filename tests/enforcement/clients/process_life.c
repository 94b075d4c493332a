/* SPDX-License-Identifier: Apache-2.0
 * process_life WAY N BYTES: what becomes of memory when processes and threads begin and end. Prints
 * the driver's answers, one a line.
 *
 *   children   N children one after another, killed while they hold BYTES each; then the parent
 * allocates them forked     allocates, then forks: the child calls the driver, which may refuse;
 * then the parent allocates again daemon     goes to the background, closes every descriptor and
 * allocates; prints through a descriptor of its own threads    N threads that allocate BYTES each
 * and end; then another thread frees all of it closed     N times: opens the driver, allocates,
 * frees, closes the driver atexit     allocates, and frees while the process ends
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

enum { kMost = 64 };

static int number;
static unsigned long long bytes;
static CUcontext context;
static CUdeviceptr pointers[kMost];

static void Say(CUresult result) {
  printf("%d\n", result);
  fflush(stdout);
}

/* A monitor that looks into the memory of a process that is being killed keeps it a moment longer.
 */
static CUresult AllocateSoon(void) {
  const unsigned long long end = NowNs() + 10000000000ULL;
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  while (result == CUDA_ERROR_OUT_OF_MEMORY && NowNs() < end) {
    result = cuMemAlloc(&pointers[0], bytes);
  }
  return result;
}

static void Children(void) {
  for (int i = 0; i < number; ++i) {
    int ready[2];
    char byte = 0;
    if (pipe(ready) != 0) {
      exit(1);
    }
    const pid_t child = fork();
    if (child == 0) {
      UseDevice(0);
      Say(AllocateSoon());
      if (write(ready[1], "", 1) != 1) {
        exit(1);
      }
      pause();
    }
    close(ready[1]);
    if (read(ready[0], &byte, 1) != 1) {
      exit(1);
    }
    close(ready[0]);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  UseDevice(0);
  Say(AllocateSoon());
}

static void Forked(void) {
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  int status = 0;
  UseDevice(0);
  Say(cuMemAlloc(&pointers[0], bytes));
  const pid_t child = fork();
  if (child == 0) {
    Say(cuMemAlloc(&pointers[1], bytes));
    Say(cuMemFree(pointers[0]));
    Say(cuMemGetInfo(&free_bytes, &total_bytes));
    Say(cuCtxSynchronize());
    _exit(0);
  }
  waitpid(child, &status, 0);
  if (status != 0) {
    fprintf(stderr, "the child ended with %x\n", (unsigned)status);
    exit(1);
  }
  Say(cuMemAlloc(&pointers[2], bytes));
  MUST(cuMemFree(pointers[2]));
  Say(cuMemFree(pointers[0]));
}

static atomic_int over;

static void* AllocateAndFree(void* unused) {
  CUdeviceptr pointer = 0;
  CUstream stream;
  (void)unused;
  MUST(cuCtxSetCurrent(context));
  MUST(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  while (!atomic_load(&over)) {
    MUST(cuMemAlloc(&pointer, bytes));
    MUST(cuMemFree(pointer));
    MUST(cuMemAllocAsync(&pointer, bytes, stream));
    MUST(cuMemFreeAsync(pointer, stream));
  }
  return NULL;
}

static void Storm(void) {
  pthread_t thread[4];
  size_t free_bytes = 0;
  size_t total_bytes = 0;
  context = UseDevice(0);
  for (int i = 0; i < 4; ++i) {
    pthread_create(&thread[i], NULL, AllocateAndFree, NULL);
  }
  for (int i = 0; i < number; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      alarm(20); /* a child that hangs is killed by it */
      const CUresult result = cuMemAlloc(&pointers[0], bytes);
      cuMemFree(pointers[0]);
      cuMemGetInfo(&free_bytes, &total_bytes);
      dlsym(RTLD_DEFAULT, "cuMemAlloc_v2");
      _exit(result == CUDA_SUCCESS ? 0 : result);
    }
    waitpid(child, &status, 0);
    if (!WIFEXITED(status)) {
      fprintf(stderr, "child %d ended with %x\n", i, (unsigned)status);
      exit(1);
    }
    Say((CUresult)WEXITSTATUS(status));
  }
  atomic_store(&over, 1);
  for (int i = 0; i < 4; ++i) {
    pthread_join(thread[i], NULL);
  }
}

static void Daemon(void) {
  int answer[2];
  CUresult results[3] = {CUDA_SUCCESS};
  if (pipe(answer) != 0) {
    exit(1);
  }
  const pid_t child = fork();
  if (child == 0) {
    setsid();
    if (fork() != 0) {
      _exit(0);
    }
    const int out = fcntl(answer[1], F_DUPFD, 900);
    for (int file = 0; file < 1024; ++file) {
      if (file != out) {
        close(file);
      }
    }
    UseDevice(0);
    results[0] = cuMemAlloc(&pointers[0], bytes);
    for (int file = 0; file < 1024; ++file) { /* as some do late */
      if (file != out) {
        close(file);
      }
    }
    results[1] = cuMemAlloc(&pointers[1], bytes);
    results[2] = cuMemFree(pointers[0]);
    _exit(write(out, results, sizeof(results)) == sizeof(results) ? 0 : 1);
  }
  close(answer[1]);
  waitpid(child, NULL, 0);
  if (read(answer[0], results, sizeof(results)) != sizeof(results)) {
    fprintf(stderr, "the daemon said nothing\n");
    exit(1);
  }
  for (int i = 0; i < 3; ++i) {
    Say(results[i]);
  }
}

static void* Allocate(void* pointer) {
  MUST(cuCtxSetCurrent(context));
  return (void*)(size_t)cuMemAlloc((CUdeviceptr*)pointer, bytes);
}

static void* FreeAll(void* unused) {
  (void)unused;
  MUST(cuCtxSetCurrent(context));
  for (int i = 0; i < number; ++i) {
    if (pointers[i] != 0) {
      MUST(cuMemFree(pointers[i]));
    }
  }
  return NULL;
}

static void Threads(void) {
  pthread_t thread[kMost];
  void* result = NULL;
  context = UseDevice(0);
  for (int i = 0; i < number; ++i) {
    pthread_create(&thread[i], NULL, Allocate, &pointers[i]);
  }
  for (int i = 0; i < number; ++i) {
    pthread_join(thread[i], &result);
    Say((CUresult)(size_t)result);
  }
  pthread_create(&thread[0], NULL, FreeAll, NULL);
  pthread_join(thread[0], NULL);
  Say(cuMemAlloc(&pointers[0], bytes * (unsigned)number / 2));
}

static void Closed(void) {
  for (int i = 0; i < number; ++i) {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    CUresult (*allocate)(CUdeviceptr*, size_t) =
        (CUresult(*)(CUdeviceptr*, size_t))dlsym(driver, "cuMemAlloc_v2");
    CUresult (*release)(CUdeviceptr) = (CUresult(*)(CUdeviceptr))dlsym(driver, "cuMemFree_v2");
    if (driver == NULL || allocate == NULL || release == NULL) {
      exit(1);
    }
    UseDevice(0);
    Say(allocate(&pointers[0], bytes));
    MUST(release(pointers[0]));
    dlclose(driver);
  }
}

static void FreeLate(void) { Say(cuMemFree(pointers[0])); }

static void AtExit(void) {
  UseDevice(0);
  Say(cuMemAlloc(&pointers[0], bytes));
  atexit(FreeLate);
}

int main(int count, char** words) {
  static const struct {
    const char* name;
    void (*live)(void);
  } ways[] = {{"children", Children}, {"forked", Forked}, {"storm", Storm},  {"daemon", Daemon},
              {"threads", Threads},   {"closed", Closed}, {"atexit", AtExit}};
  if (count != 4) {
    return 2;
  }
  number = atoi(words[2]);
  bytes = strtoull(words[3], NULL, 10);
  for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); ++i) {
    if (strcmp(ways[i].name, words[1]) == 0 && number <= kMost) {
      ways[i].live();
      return 0;
    }
  }
  return 2;
}
