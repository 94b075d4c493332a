/* SPDX-License-Identifier: Apache-2.0
 * A library linked with -lcuda, for a program that is not. */
#include "linked.h"

int RunPlugin(const char* file) {
  (void)file;
  return Report(ByLink);
}
