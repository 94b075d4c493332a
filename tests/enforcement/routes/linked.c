/* SPDX-License-Identifier: Apache-2.0
 * A program linked with -lcuda. */
#include "linked.h"

int main(void) { return Report(ByLink); }
