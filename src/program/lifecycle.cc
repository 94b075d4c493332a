// SPDX-License-Identifier: Apache-2.0
#include "program/lifecycle.h"

#include <sys/resource.h>

#include <csignal>

namespace aliquot::program {
namespace {

sigset_t EndRequests() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

void RaiseOpenFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    static_cast<void>(setrlimit(RLIMIT_NOFILE, &limit));
  }
}

void PrepareSignals() {
  static_cast<void>(std::signal(SIGHUP, SIG_IGN));
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  const sigset_t signals = EndRequests();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool EndRequested() {
  sigset_t pending;
  return sigpending(&pending) == 0 &&
         (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGINT) == 1);
}

void WaitForEndRequest() {
  const sigset_t signals = EndRequests();
  int received = 0;
  while (sigwait(&signals, &received) != 0) {
  }
  // The default action ends the process.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

}  // namespace aliquot::program
