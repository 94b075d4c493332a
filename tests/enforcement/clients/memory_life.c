/* SPDX-License-Identifier: Apache-2.0
 * memory_life WAY BYTES: what a process and its children hold. A line on standard input lets it go
 * on, each step prints one line of JSON.
 *
 *   fork      forks before CUDA is used; the child allocates and ends when told to, then the parent
 *   exec      allocates, then becomes `memory_life hold BYTES` of itself
 *   late      allocates, then forks; the child only waits: it must hold nothing of the parent's
 *   orphan    as late, but the parent ends first
 *   hold      allocates and waits
 *   thread    allocates in one thread, frees in another whose context is none
 *   close     allocates, closes every descriptor, allocates again
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static unsigned long long bytes;
static CUdeviceptr pointer;

static void Say(const char* who, CUresult result) {
  printf("{\"who\": \"%s\", \"pid\": %d, \"result\": %d}\n", who, getpid(), result);
  fflush(stdout);
}

/* Unbuffered, so that parent and child take a line each. */
static void Wait(void) {
  char byte = 0;
  while (read(0, &byte, 1) == 1 && byte != '\n') {
  }
}

static CUresult Allocate(void) {
  UseDevice(0);
  return cuMemAlloc(&pointer, bytes);
}

static int Fork(int before) {
  if (!before) {
    Say("parent", Allocate());
  }
  const pid_t child = fork();
  if (child == 0) {
    if (before) {
      Say("child", Allocate());
    } else {
      Say("child", CUDA_SUCCESS);
    }
    Wait();
    _exit(0);
  }
  if (before) {
    waitpid(child, NULL, 0);
    Say("parent", Allocate());
    Wait();
  }
  return child;
}

static void* FreeElsewhere(void* unused) {
  (void)unused;
  MUST(cuCtxSetCurrent(NULL));
  Say("other thread", cuMemFree(pointer));
  return NULL;
}

int main(int count, char** words) {
  if (count != 3) {
    return 2;
  }
  const char* const way = words[1];
  bytes = strtoull(words[2], NULL, 10);
  if (strcmp(way, "fork") == 0) {
    Fork(1);
  } else if (strcmp(way, "late") == 0) {
    const pid_t child = Fork(0);
    waitpid(child, NULL, 0);
  } else if (strcmp(way, "orphan") == 0) {
    Fork(0);
  } else if (strcmp(way, "exec") == 0) {
    Say("before", Allocate());
    Wait();
    execl("/proc/self/exe", words[0], "hold", words[2], (char*)NULL);
  } else if (strcmp(way, "hold") == 0) {
    Say("holder", Allocate());
    Wait();
  } else if (strcmp(way, "thread") == 0) {
    pthread_t thread;
    Say("one thread", Allocate());
    pthread_create(&thread, NULL, FreeElsewhere, NULL);
    pthread_join(thread, NULL);
    Wait();
  } else if (strcmp(way, "close") == 0) {
    Say("open", Allocate());
    for (int file = 3; file < 1024; ++file) {
      close(file);
    }
    Say("closed", cuMemAlloc(&pointer, bytes));
    Wait();
  } else {
    return 2;
  }
  return 0;
}
