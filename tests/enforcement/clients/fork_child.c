/* SPDX-License-Identifier: Apache-2.0
 * fork_child: what a child of a fork gets from a driver that its parent has initialized, by fork()
 * and by the bare system call, and what the parent gets afterwards. */
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static int ChildSays(long child) {
  CUdeviceptr pointer;
  int status = 0;
  if (child == 0) {
    _exit(cuMemAlloc(&pointer, 1000));
  }
  waitpid((pid_t)child, &status, 0);
  return WEXITSTATUS(status);
}

int main(void) {
  CUdeviceptr pointer;
  UseDevice(0);
  const int by_fork = ChildSays(fork());
  const int by_call = ChildSays(syscall(SYS_fork));
  printf("{\"fork\": %d, \"call\": %d, \"parent\": %d}\n", by_fork, by_call,
         cuMemAlloc(&pointer, 1000));
  return 0;
}
