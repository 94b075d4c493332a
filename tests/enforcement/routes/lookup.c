/* SPDX-License-Identifier: Apache-2.0
 * lookup ROUTE [FILE]: opens the driver and looks its functions up, in the way that ROUTE names. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 8 /* musl has none */
#endif

static void* handle;
static int (*get_proc_address_1)(const char*, void**, int, unsigned long long);
static int (*get_proc_address_2)(const char*, void**, int, unsigned long long, int*);

static void* ByHandle(const char* name) { return dlsym(handle, name); }
static void* ByDefault(const char* name) { return dlsym(RTLD_DEFAULT, name); }
static void* ByNext(const char* name) { return dlsym(RTLD_NEXT, name); }

/* cuGetProcAddress is asked by base name; the version chooses the function. */
static const char* BaseName(const char* name) {
  static char base[64];
  char* suffix;
  snprintf(base, sizeof base, "%s", name);
  suffix = strstr(base, "_v2");
  if (suffix != NULL) {
    *suffix = '\0';
  }
  return base;
}

static void* ByProcAddress1(const char* name) {
  void* found = NULL;
  return get_proc_address_1(BaseName(name), &found, 11030, 0) == 0 ? found : NULL;
}

static void* ByProcAddress2(const char* name) {
  void* found = NULL;
  int status = 0;
  return get_proc_address_2(BaseName(name), &found, 12000, 0, &status) == 0 ? found : NULL;
}

static int ThroughProcAddress(int version, int of_itself) {
  *(void**)&get_proc_address_1 = dlsym(handle, "cuGetProcAddress");
  *(void**)&get_proc_address_2 = dlsym(handle, "cuGetProcAddress_v2");
  if (get_proc_address_1 == NULL || get_proc_address_2 == NULL) {
    return Fail("not found", "cuGetProcAddress");
  }
  if (of_itself) {
    *(void**)&get_proc_address_1 = ByProcAddress1("cuGetProcAddress");
    *(void**)&get_proc_address_2 = ByProcAddress2("cuGetProcAddress");
  }
  return Report(version == 1 ? ByProcAddress1 : ByProcAddress2);
}

#ifdef __GLIBC__
#include <link.h>

/* The driver's own symbol table, read without asking anybody. */
static ElfW(Addr) walked_base;
static const ElfW(Sym) * walked_symbols;
static const char* walked_strings;
static unsigned walked_count;

static void* ByWalk(const char* name) {
  for (unsigned i = 0; i < walked_count; ++i) {
    if (walked_symbols[i].st_shndx != 0 &&
        strcmp(walked_strings + walked_symbols[i].st_name, name) == 0) {
      return (void*)(walked_base + walked_symbols[i].st_value);
    }
  }
  return NULL;
}

static int Walk(void) {
  int (*init)(unsigned);
  *(void**)&init = dlsym(handle, "cuInit");
  init(0);
  for (const struct link_map* map = _r_debug.r_map; map != NULL; map = map->l_next) {
    const char* const slash = strrchr(map->l_name, '/');
    if (slash == NULL || strncmp(slash + 1, "libcuda.so", 10) != 0) {
      continue;
    }
    walked_base = map->l_addr;
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_SYMTAB) {
        walked_symbols = (const void*)entry->d_un.d_ptr;
      } else if (entry->d_tag == DT_STRTAB) {
        walked_strings = (const void*)entry->d_un.d_ptr;
      }
    }
    /* The strings follow the symbols in what every linker writes. */
    walked_count =
        (unsigned)(((const char*)walked_strings - (const char*)walked_symbols) / sizeof(ElfW(Sym)));
  }
  return Report(ByWalk);
}

static void* ByVersion(const char* name) { return dlvsym(handle, name, "GLIBC_2.2.5"); }
#endif

static int Child(char** words) {
  int status;
  const pid_t child = fork();
  if (child == 0) {
    exit(Report(ByHandle));
  }
  (void)words;
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static int VforkExec(char** words) {
  int status;
  char* arguments[] = {words[0], "handle", words[2], NULL};
  const pid_t child = vfork();
  if (child == 0) {
    execv("/proc/self/exe", arguments);
    _exit(127);
  }
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

static int Is(const char* word, const char* other) { return strcmp(word, other) == 0; }

static int Mode(const char* route) {
  return Is(route, "lazy")                                          ? RTLD_LAZY
         : Is(route, "global") || Is(route, "default-after-global") ? RTLD_NOW | RTLD_GLOBAL
         : Is(route, "deepbind")                                    ? RTLD_NOW | RTLD_DEEPBIND
                                                                    : RTLD_NOW;
}

int main(int count, char** words) {
  const char* const route = count > 1 ? words[1] : "";
  const char* const file = count > 2 ? words[2] : "libcuda.so.1";
  if (Is(route, "default")) {
    return Report(ByDefault);
  }
  if (Is(route, "next")) {
    return Report(ByNext);
  }
  if (Is(route, "vfork")) {
    return VforkExec(words);
  }
#ifdef __GLIBC__
  if (Is(route, "namespace")) {
    handle = dlmopen(LM_ID_NEWLM, file, RTLD_NOW);
    return handle == NULL ? Fail("not opened", dlerror()) : Report(ByHandle);
  }
#endif
  if (Is(route, "path-after") && dlopen("libcuda.so.1", RTLD_NOW) == NULL) {
    return Fail("not opened", dlerror());
  }
  handle = dlopen(file, Mode(route));
  if (handle != NULL && Is(route, "reopen")) {
    dlclose(handle);
    handle = dlopen(file, RTLD_NOW);
  }
  if (handle == NULL) {
    return Fail("not opened", dlerror());
  }
  if (Is(route, "soname-after") && (handle = dlopen("libcuda.so.1", RTLD_NOW)) == NULL) {
    return Fail("not opened", dlerror());
  }
  if (Is(route, "default-after-global")) {
    return Report(ByDefault);
  }
  if (strncmp(route, "proc-address-", 13) == 0) {
    return ThroughProcAddress(route[13] - '0', route[14] != '\0');
  }
  if (Is(route, "fork")) {
    return Child(words);
  }
#ifdef __GLIBC__
  if (Is(route, "versioned")) {
    return Report(ByVersion);
  }
  if (Is(route, "walk")) {
    return Walk();
  }
#endif
  return Report(ByHandle);
}
