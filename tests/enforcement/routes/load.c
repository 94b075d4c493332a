/* SPDX-License-Identifier: Apache-2.0
 * load HOW PLUGIN [FILE]: runs a library's RunPlugin; HOW is local, deepbind, namespace, or next.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "probe.h"

int main(int count, char** words) {
  const char* const how = words[1];
  const char* const file = count > 3 ? words[3] : "libcuda.so.1";
  int (*run)(const char*);
  void* const plugin =
      strcmp(how, "namespace") == 0
          ? dlmopen(LM_ID_NEWLM, words[2], RTLD_NOW)
          : dlopen(words[2], RTLD_NOW | (strcmp(how, "deepbind") == 0 ? RTLD_DEEPBIND : 0));
  if (plugin == NULL) {
    return Fail("not opened", dlerror());
  }
  *(void**)&run = dlsym(plugin, strcmp(how, "next") == 0 ? "RunPluginNext" : "RunPlugin");
  return run(file);
}
