// SPDX-License-Identifier: Apache-2.0
//
// The program of the test images: says from inside a container what it was given.
//
//   probe run [FILE...]         report, then wait for SIGTERM and end with 0
//   probe exit STATUS [FILE...] report, then end with STATUS at once
//   probe pause                 wait for SIGTERM, silently (the sandbox's program)
//   probe report [FILE...]      report
//   probe open PATH             print how opening it ends: "OK" or the errno's name
//   probe truncate PATH SIZE    print how that ends
//   probe write PATH TEXT       print how overwriting the file's beginning ends
//
// A report is one line of JSON: who we are, the character devices below /dev and how opening those
// of GPUs ends, how opening nodes of the card major that we make ourselves ends, environment, mounts, and
// the named files. The mknod part is the neighbour test: only the device cgroup stops root there.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { kCardMajor = 195, kMinors = 32, kControlMinor = 255 };

extern char** environ;

static const char* Outcome(int failed) {
  return failed ? strerrorname_np(errno) : "OK";
}

static const char* OpenOutcome(const char* path) {
  int descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const char* outcome = Outcome(descriptor < 0);
  if (descriptor >= 0) close(descriptor);
  return outcome;
}

static void PrintString(const char* text, size_t size) {
  putchar('"');
  for (size_t i = 0; i < size; ++i) {
    unsigned char c = (unsigned char)text[i];
    if (c == '"' || c == '\\') {
      printf("\\%c", c);
    } else if (c < 0x20 || c >= 0x7f) {
      printf("\\u%04x", c);
    } else {
      putchar(c);
    }
  }
  putchar('"');
}

static void PrintText(const char* text) { PrintString(text, strlen(text)); }

static void Comma(int* first) {
  if (!*first) putchar(',');
  *first = 0;
}

// The character devices of a directory and of those below it.
static void PrintDevices(const char* folder, int* first) {
  DIR* opened = opendir(folder);
  if (opened == NULL) return;
  for (struct dirent* entry; (entry = readdir(opened)) != NULL;) {
    char path[4096];
    struct stat status;
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (lstat(path, &status) != 0) continue;
    if (S_ISDIR(status.st_mode)) PrintDevices(path, first);
    if (!S_ISCHR(status.st_mode)) continue;
    Comma(first);
    printf("{\"path\":");
    PrintText(path);
    printf(",\"major\":%u,\"minor\":%u,\"mode\":\"%04o\"", major(status.st_rdev),
           minor(status.st_rdev), status.st_mode & 07777);
    // Opening has effects of its own elsewhere: a watchdog reboots the machine.
    if (strncmp(entry->d_name, "nvidia", 6) == 0) printf(",\"open\":\"%s\"", OpenOutcome(path));
    putchar('}');
  }
  closedir(opened);
}

// Makes a card's device node ourselves and opens it.
static void PrintMade(unsigned number, int* first) {
  char path[64];
  snprintf(path, sizeof path, "/probe-%d-%u", (int)getpid(), number);
  Comma(first);
  printf("\"%u\":", number);
  if (mknod(path, S_IFCHR | 0666, makedev(kCardMajor, number)) != 0) {
    printf("\"mknod:%s\"", strerrorname_np(errno));
    return;
  }
  printf("\"%s\"", OpenOutcome(path));
  unlink(path);
}

static void PrintEnvironment(void) {
  int first = 1;
  for (char** each = environ; *each != NULL; ++each) {
    const char* equals = strchr(*each, '=');
    if (equals == NULL) continue;
    Comma(&first);
    PrintString(*each, (size_t)(equals - *each));
    putchar(':');
    PrintText(equals + 1);
  }
}

static void PrintFile(const char* path) {
  static char content[65536];
  struct stat status;
  printf("{\"path\":");
  PrintText(path);
  int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ssize_t size = -1;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    printf(",\"error\":\"%s\"}", strerrorname_np(errno));
    return;
  }
  printf(",\"size\":%lld", (long long)status.st_size);
  size = read(descriptor, content, sizeof content);
  if (size < 0) {
    printf(",\"error\":\"%s\"", strerrorname_np(errno));
  } else {
    printf(",\"content\":");
    PrintString(content, (size_t)size);
  }
  putchar('}');
  close(descriptor);
}

static void PrintMounts(void) {
  char line[8192];
  int first = 1;
  FILE* mounts = fopen("/proc/self/mountinfo", "re");
  while (mounts != NULL && fgets(line, sizeof line, mounts) != NULL) {
    char target[4096];
    char options[1024];
    if (sscanf(line, "%*s %*s %*s %*s %4095s %1023s", target, options) != 2) continue;
    Comma(&first);
    PrintText(target);
    putchar(':');
    PrintText(options);
  }
  if (mounts != NULL) fclose(mounts);
}

static void Report(char** files) {
  int first = 1;
  printf("{\"uid\":%d,\"gid\":%d,\"devices\":[", (int)geteuid(), (int)getegid());
  PrintDevices("/dev", &first);
  printf("],\"made\":{");
  first = 1;
  for (unsigned number = 0; number < kMinors; ++number) PrintMade(number, &first);
  PrintMade(kControlMinor, &first);
  printf("},\"environment\":{");
  PrintEnvironment();
  printf("},\"mounts\":{");
  PrintMounts();
  printf("},\"files\":[");
  for (int i = 0; files[i] != NULL; ++i) {
    if (i > 0) putchar(',');
    PrintFile(files[i]);
  }
  printf("]}\n");
  fflush(stdout);
}

static void End(int number) { _exit(number == SIGTERM || number == SIGINT ? 0 : 1); }

static void Wait(void) {
  for (;;) pause();
}

static int Write(const char* path, const char* text) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  puts(Outcome(descriptor < 0 || write(descriptor, text, strlen(text)) < 0));
  return 0;
}

int main(int count, char** arguments) {
  const char* what = count > 1 ? arguments[1] : "run";
  signal(SIGTERM, End);
  signal(SIGINT, End);
  if (strcmp(what, "pause") == 0) Wait();
  if (strcmp(what, "run") == 0) {
    Report(arguments + (count > 1 ? 2 : 1));
    Wait();
  }
  if (strcmp(what, "report") == 0) {
    Report(arguments + 2);
    return 0;
  }
  if (strcmp(what, "exit") == 0 && count > 2) {
    Report(arguments + 3);
    return atoi(arguments[2]);
  }
  if (strcmp(what, "open") == 0 && count > 2) {
    puts(OpenOutcome(arguments[2]));
    return 0;
  }
  if (strcmp(what, "truncate") == 0 && count > 3) {
    puts(Outcome(truncate(arguments[2], atoll(arguments[3])) != 0));
    return 0;
  }
  if (strcmp(what, "write") == 0 && count > 3) return Write(arguments[2], arguments[3]);
  fprintf(stderr, "probe: unknown or incomplete command '%s'\n", what);
  return 64;
}
