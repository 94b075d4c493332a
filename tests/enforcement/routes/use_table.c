/* SPDX-License-Identifier: Apache-2.0
 * A program that takes the driver's functions from a preloaded library's table. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "probe.h"

int main(void) {
  Finder table;
  *(void**)&table = dlsym(RTLD_DEFAULT, "RouteTable");
  return table == NULL ? Fail("no table", NULL) : Report(table);
}
