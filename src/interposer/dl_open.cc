// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cstdint>

#include "interposer/dl_call.h"
#include "interposer/dl_functions.h"
#include "interposer/driver_names.h"
#include "interposer/hook.h"
#include "interposer/system_calls.h"
#include "interposer/text.h"

// dlopen and dlmopen. The driver's library by any path is this library; a new namespace begins with
// this library; RTLD_DEEPBIND is left out, since a library opened so would look symbols up past it.

namespace aliquot::interposer {
namespace {

bool Exists(const char* path) {
  struct stat status {};
  return PathStatus(path, status);
}

// What to open instead of a file: this library, by its path, since somebody else's may stand before
// it under the driver's name. That name itself is left alone, and a path that leads nowhere fails
// as it would.
const char* Replacement(const char* file) {
  if (file == nullptr || !IsCudaFile(BaseName(file)) || Equal(file, kCudaSoname) ||
      (BaseName(file) != file && !Exists(file))) {
    return file;
  }
  return OwnMap()->l_name;
}

// An int argument is the low half of what was saved.
void* WithoutDeepBind(void* mode) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(mode) &
                                 ~std::uintptr_t{RTLD_DEEPBIND});
}

// A namespace of its own with this library as its first object; LM_ID_NEWLM when there is no room
// for one, so that the caller learns that from the C library.
Lmid_t NewNamespace() {
  void* const copy = RealDlmopen()(LM_ID_NEWLM, OwnMap()->l_name, RTLD_NOW | RTLD_LOCAL);
  Lmid_t space = LM_ID_NEWLM;
  if (copy != nullptr && dlinfo(copy, RTLD_DI_LMID, &space) != 0) {
    return LM_ID_NEWLM;
  }
  return space;
}

}  // namespace
}  // namespace aliquot::interposer

extern "C" {

ALIQUOT_HIDDEN AliquotVerdict aliquot_judge_dlopen(AliquotDlCall* call) {
  using namespace aliquot::interposer;
  const char* const file = static_cast<const char*>(call->argument[0]);
  call->argument[0] = const_cast<char*>(Replacement(file));
  call->argument[1] = WithoutDeepBind(call->argument[1]);
  return Jump(RealDlopen());
}

ALIQUOT_HIDDEN AliquotVerdict aliquot_judge_dlmopen(AliquotDlCall* call) {
  using namespace aliquot::interposer;
  const char* const file = static_cast<const char*>(call->argument[1]);
  call->argument[1] = const_cast<char*>(Replacement(file));
  call->argument[2] = WithoutDeepBind(call->argument[2]);
  const auto space = reinterpret_cast<Lmid_t>(call->argument[0]);
  // A file that is not there must not use a namespace up.
  if (space == LM_ID_NEWLM && file != nullptr && (BaseName(file) == file || Exists(file))) {
    call->argument[0] = reinterpret_cast<void*>(NewNamespace());
  }
  return Jump(RealDlmopen());
}

}  // extern "C"
