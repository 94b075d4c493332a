// SPDX-License-Identifier: Apache-2.0
// What a program that never uses CUDA sees of the loader and of the C++ runtime; the library must
// not change a word of it. undisturbed PLUGIN: a library found by this program's RUNPATH alone.
#include <dlfcn.h>
#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static void Say(const char* what, const void* found) {
  const char* const why = dlerror();
  std::printf("%s: %s, %s\n", what, found == nullptr ? "null" : "found",
              why == nullptr ? "no error" : why);
}

static const char* FileOf(void* address) {
  Dl_info place;
  return dladdr(address, &place) != 0 ? place.dli_fname : "nowhere";
}

int main(int, char** words) {
  Say("missing library", dlopen("libnot-there.so.1", RTLD_NOW));
  Say("missing file", dlopen("/not/there/libcuda.so.1", RTLD_NOW));
  void* const self = dlopen(nullptr, RTLD_NOW);
  Say("itself", self);
  Say("missing symbol", dlsym(self, "not_there"));
  Say("missing name of CUDA's kind", dlsym(self, "cuNotThere"));
  Say("missing by RTLD_DEFAULT", dlsym(RTLD_DEFAULT, "not_there"));
  Say("missing by RTLD_NEXT", dlsym(RTLD_NEXT, "not_there"));
  Say("missing version", dlvsym(RTLD_DEFAULT, "malloc", "GLIBC_9.9"));
  Say("bad namespace", dlmopen(77, "libm.so.6", RTLD_NOW));
  Say("missing file in a new namespace", dlmopen(LM_ID_NEWLM, "/not/there.so", RTLD_NOW));
  void* const found = dlopen(words[1], RTLD_NOW);
  Say("by RUNPATH", found);
  std::printf("malloc is of %s\n", FileOf(dlsym(RTLD_NEXT, "malloc")));
  std::printf("strlen is of %s\n", FileOf(dlvsym(RTLD_DEFAULT, "strlen", "GLIBC_2.2.5")));
  int caught = 0;
  for (int i = 0; i < 1000; ++i) {
    try {
      throw std::runtime_error("thrown");
    } catch (const std::exception&) {
      ++caught;
    }
  }
  void* frames[32];
  std::printf("%d caught, %d frames\n", caught, backtrace(frames, 32));
  return 0;
}
