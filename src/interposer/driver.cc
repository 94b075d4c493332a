// SPDX-License-Identifier: Apache-2.0
#include "interposer/driver.h"

#include <dlfcn.h>

#include "interposer/dl_functions.h"
#include "interposer/driver_names.h"
#include "interposer/driver_search.h"
#include "interposer/name_table.h"

namespace aliquot::interposer {
namespace {

void* cuda_handle;
void* nvml_handle;

void** HandleOf(const char* name) { return IsNvmlName(name) ? &nvml_handle : &cuda_handle; }

// By its absolute path the driver loads beside this library although the SONAMEs are equal. A
// libcuda that does not bind its own names itself would call this library's functions from within,
// which RTLD_DEEPBIND prevents. NVML's library needs no such thing: the program may have opened it
// already, and hooks know inner calls (HookScope).
bool Open(const char* path, void* context) {
  void** const found = static_cast<void**>(context);
  const bool deep = found == &cuda_handle && !IsSymbolic(path);
  const int mode = RTLD_NOW | RTLD_LOCAL | (deep ? RTLD_DEEPBIND : 0);
  void* const handle = RealDlopen()(path, mode);
  if (handle == nullptr || handle == OwnMap()) {
    return true;  // the next candidate
  }
  __atomic_store_n(found, handle, __ATOMIC_RELEASE);
  return false;
}

}  // namespace

void* OpenDriverHandle(const char* name) {
  return __atomic_load_n(HandleOf(name), __ATOMIC_ACQUIRE);
}

void* DriverHandle(const char* name) {
  void* const known = OpenDriverHandle(name);
  if (known != nullptr || RealDlopen() == nullptr) {
    return known;
  }
  FindDriverFiles(IsNvmlName(name) ? kNvmlSoname : kCudaSoname, Open, HandleOf(name));
  return OpenDriverHandle(name);
}

void* DriverFunction(const char* name) {
  void* const handle = DriverHandle(name);
  // What dlopen gives is the object's entry in the link map.
  return handle == nullptr ? nullptr : FunctionIn(static_cast<const link_map*>(handle), name);
}

}  // namespace aliquot::interposer
