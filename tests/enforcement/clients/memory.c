/* SPDX-License-Identifier: Apache-2.0
 * memory: reads commands from standard input and prints, for each, one line of JSON with the
 * driver's answer. Objects have numbers of the caller's choice, below 256 for each kind.
 *
 *   device N                                  uses its primary context
 *   alloc|alloc1|managed I BYTES, pitch I WIDTH HEIGHT, free|free1 I, freeany ADDRESS
 *   freeother I                               by another thread
 *   array I WIDTH HEIGHT DEPTH FORMAT CHANNELS FLAGS, array2 I WIDTH HEIGHT, arrayend I
 *   mipmap I WIDTH HEIGHT DEPTH LEVELS FLAGS, mipmapend I
 *   async|asyncp I BYTES, asyncfree I, sync   asyncp: the per-thread form
 *   pool|poolof P DEVICE, frompool I P BYTES, trim P KEEP, keep P BYTES, poolend P, poolinfo P
 *   create|createhost I BYTES, map I, unmap I, release I, retain I
 *   graph|graphnow|chain G BYTES..            graphnow: uploaded when it is instantiated; chain: each is
 *                                             freed before the next
 *   capture G BYTES, launch G, upload G, execend G, graphtrim, graphinfo
 *   ipcget I FILE, ipcopen I FILE, ipcclose I
 *   context C, contextend C, reset, info, hostalloc BYTES, nowhere BYTES (a null pointer for the
 * answer)
 */
#include "memory_commands.h"

static unsigned long long Number(void) {
  const char* const word = strtok(NULL, " \n");
  return word == NULL ? 0 : strtoull(word, NULL, 0);
}

static void Obey(const char* verb) {
  static const Command* const groups[] = {kLinearCommands, kPoolCommands, kMappedCommands,
                                          kGraphCommands};
  for (size_t group = 0; group < sizeof(groups) / sizeof(groups[0]); ++group) {
    for (const Command* command = groups[group]; command->verb != NULL; ++command) {
      if (strcmp(command->verb, verb) == 0) {
        unsigned long long arguments[kMostArguments];
        for (int i = 0; i < kMostArguments; ++i) {
          arguments[i] = Number();
        }
        extra[0] = '\0';
        const CUresult result = command->call(arguments);
        printf("{\"result\": %d%s}\n", result, extra);
        return;
      }
    }
  }
  fprintf(stderr, "unknown command %s\n", verb);
  exit(2);
}

int main(void) {
  static char line[512];
  UseDevice(0);
  while (fgets(line, sizeof(line), stdin) != NULL) {
    const char* const verb = strtok(line, " \n");
    if (verb != NULL) {
      Obey(verb);
      fflush(stdout);
    }
  }
  return 0;
}
