/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of the client `memory`, a group a file in memory/. A command takes up to 8 numbers;
 * what it wants to say beside the driver's answer it writes into `extra`, as JSON after a comma.
 */
#ifndef ALIQUOT_TESTS_MEMORY_COMMANDS_H
#define ALIQUOT_TESTS_MEMORY_COMMANDS_H

#include <dlfcn.h>

#include "client.h"

enum { kMostArguments = 8, kMostObjects = 256 };

typedef struct {
  const char* verb;
  CUresult (*call)(const unsigned long long* arguments);
} Command;

extern const Command kLinearCommands[]; /* each ends with an empty one */
extern const Command kPoolCommands[];
extern const Command kMappedCommands[];
extern const Command kGraphCommands[];

extern char extra[256];
extern CUdeviceptr pointers[kMostObjects];

/* A function that cuda.h hides behind a newer one's name. */
static inline void* Named(const char* name) {
  void* const found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) {
    fprintf(stderr, "the driver has no %s\n", name);
    exit(1);
  }
  return found;
}

#endif
