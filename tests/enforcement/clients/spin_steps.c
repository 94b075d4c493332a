/* SPDX-License-Identifier: Apache-2.0
 * spin_steps: for each number on standard input a kernel of so many nanoseconds, waited for. */
#include "client.h"

int main(void) {
  unsigned long long ns = 0;
  UseDevice(0);
  CUfunction const function = SpinKernel();
  printf("ready\n");
  fflush(stdout);
  while (scanf("%llu", &ns) == 1) {
    MUST(Spin(function, ns, NULL));
    MUST(cuCtxSynchronize());
    printf("done\n");
    fflush(stdout);
  }
  return 0;
}
