/* SPDX-License-Identifier: Apache-2.0
 * start_cost ROUNDS PROGRAM [PRELOAD..]: starts PROGRAM and waits for its end, in turn with nothing
 * and with each of the libraries in LD_PRELOAD, and prints a list of nanoseconds, that of nothing
 * first: of each the time that a tenth of its starts stayed below. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { kMostWays = 8 };

static unsigned long long NowNs(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (unsigned long long)now.tv_sec * 1000000000ULL + (unsigned long long)now.tv_nsec;
}

static unsigned long long Start(char* program, char* preload) {
  char* const words[] = {program, NULL};
  char* const environment[] = {preload, NULL};
  pid_t child = 0;
  int status = 0;
  const unsigned long long start = NowNs();
  if (posix_spawn(&child, program, NULL, NULL, words, environment) != 0 ||
      waitpid(child, &status, 0) != child || status != 0) {
    fprintf(stderr, "%s with %s did not end well: %d\n", program,
            preload == NULL ? "nothing" : preload, status);
    exit(1);
  }
  return NowNs() - start;
}

static int Order(const void* a, const void* b) {
  const unsigned long long x = *(const unsigned long long*)a;
  const unsigned long long y = *(const unsigned long long*)b;
  return x < y ? -1 : x > y;
}

int main(int count, char** words) {
  static unsigned long long* took[kMostWays];
  static char preload[kMostWays][4096];
  const int ways = count - 2;
  if (ways < 1 || ways > kMostWays) {
    return 2;
  }
  const size_t rounds = strtoull(words[1], NULL, 10);
  for (int way = 0; way < ways; ++way) {
    took[way] = malloc(rounds * sizeof(*took[way]));
    snprintf(preload[way], sizeof(preload[way]), "LD_PRELOAD=%s", way == 0 ? "" : words[way + 2]);
    Start(words[2], way == 0 ? NULL : preload[way]);
  }
  for (size_t round = 0; round < rounds; ++round) {
    for (int way = 0; way < ways; ++way) {
      took[way][round] = Start(words[2], way == 0 ? NULL : preload[way]);
    }
  }
  for (int way = 0; way < ways; ++way) {
    qsort(took[way], rounds, sizeof(*took[way]), Order);
    printf("%s%llu", way == 0 ? "[" : ", ", took[way][rounds / 10]);
  }
  printf("]\n");
  return 0;
}
