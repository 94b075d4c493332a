// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include "interposer/dl_call.h"
#include "interposer/dl_functions.h"
#include "interposer/driver.h"
#include "interposer/driver_names.h"
#include "interposer/hook.h"
#include "interposer/name_table.h"
#include "interposer/text.h"

// dlsym and dlvsym. The C library looks a name up as the program asked; only when what it finds is
// the driver's function and this library has a hook for it does the caller get the hook. Everything
// else is the C library's own answer, given to the caller itself.

namespace aliquot::interposer {
namespace {

// One lookup: as dlsym when there is no version.
struct Lookup {
  AliquotDlCall& call;
  const char* name;
  const char* version;

  void* handle() const { return call.argument[0]; }
  void* In(void* where) const {
    return version == nullptr ? RealDlsym()(where, name) : RealDlvsym()(where, name, version);
  }
  // The C library's own answer.
  AliquotVerdict AsAsked() const {
    return version == nullptr ? Jump(RealDlsym()) : Jump(RealDlvsym());
  }
  // The driver's answer, which is also how it says that it has no such function.
  AliquotVerdict InDriver(void* driver) const {
    call.argument[0] = driver;
    return AsAsked();
  }
};

// Another namespace's copy of this library keeps its own answers: they belong to that namespace's
// driver.
bool IsDriverAddress(const void* address) {
  const link_map* const map = MapOf(address);
  return map != nullptr && IsDriverFile(SonameOf(map)) && !Equal(map->l_name, OwnMap()->l_name);
}

bool IsBeforeThis(const void* address) {
  const link_map* const caller = MapOf(address);
  for (const link_map* map = OwnMap(); map != nullptr; map = map->l_prev) {
    if (map == caller) {
      return caller != OwnMap();
    }
  }
  return false;
}

// A name that no list has: a newer driver's, or the program's own.
AliquotVerdict FindUnlisted(const Lookup& lookup) {
  void* const handle = lookup.handle();
  if (handle != OwnMap()) {
    const void* const found = lookup.In(handle);
    const bool anywhere = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
    if (handle == OpenDriverHandle(lookup.name) ||
        (found == nullptr ? !anywhere : !IsDriverAddress(found))) {
      return lookup.AsAsked();
    }
  }
  void* const driver = DriverHandle(lookup.name);
  return driver == nullptr ? lookup.AsAsked() : lookup.InDriver(driver);
}

// By the handle that dlopen gives for "libcuda.so.1".
AliquotVerdict FindInThis(const Lookup& lookup, int row) {
  void* const driver = DriverHandle(lookup.name);
  if (driver == nullptr) {
    return lookup.AsAsked();
  }
  if (!RowIsHooked(row)) {
    return lookup.InDriver(driver);
  }
  if (lookup.version == nullptr && __atomic_load_n(RowSlot(row), __ATOMIC_ACQUIRE) != nullptr) {
    return Answer(RowFunction(row));
  }
  void* const found = lookup.version == nullptr ? DriverFunction(lookup.name) : lookup.In(driver);
  if (found == nullptr) {
    return lookup.InDriver(driver);
  }
  if (lookup.version == nullptr) {
    __atomic_store_n(RowSlot(row), found, __ATOMIC_RELEASE);
  }
  return Answer(RowFunction(row));
}

// By another handle: the program's own, a library's, or a driver's that came past dlopen's rules.
AliquotVerdict FindByHandle(const Lookup& lookup, int row) {
  void* const found = lookup.In(lookup.handle());
  void* const own = RowFunction(row);
  if (found == nullptr || found == own) {
    return lookup.AsAsked();
  }
  if (lookup.handle() == OpenDriverHandle(lookup.name)) {
    return RowIsHooked(row) ? Answer(own) : lookup.AsAsked();
  }
  // Of a second copy of the driver nothing may be used: hooks call the first one, and a context of
  // the one means nothing to the other.
  return IsDriverAddress(found) ? Answer(own) : lookup.AsAsked();
}

AliquotVerdict Find(const Lookup& lookup) {
  const int row = FindRow(lookup.name);
  if (row < 0) {
    return FindUnlisted(lookup);
  }
  void* const handle = lookup.handle();
  if (handle == OwnMap()) {
    return FindInThis(lookup, row);
  }
  if (handle == RTLD_DEFAULT) {
    return lookup.AsAsked();  // this library is the first that has the name
  }
  if (handle == RTLD_NEXT) {
    // For a caller that stands before this library it is the next one, or another that overrides
    // the function is. Behind it there is no other driver than the one that it stands for.
    return IsBeforeThis(lookup.call.caller) || lookup.version != nullptr ? lookup.AsAsked()
                                                                         : Answer(RowFunction(row));
  }
  return FindByHandle(lookup, row);
}

}  // namespace
}  // namespace aliquot::interposer

extern "C" {

ALIQUOT_HIDDEN AliquotVerdict aliquot_judge_dlsym(AliquotDlCall* call) {
  using namespace aliquot::interposer;
  const char* const name = static_cast<const char*>(call->argument[1]);
  if (name == nullptr || !IsDriverName(name)) {
    return Jump(RealDlsym());
  }
  return Find({*call, name, nullptr});
}

ALIQUOT_HIDDEN AliquotVerdict aliquot_judge_dlvsym(AliquotDlCall* call) {
  using namespace aliquot::interposer;
  const char* const name = static_cast<const char*>(call->argument[1]);
  const char* const version = static_cast<const char*>(call->argument[2]);
  if (name == nullptr || version == nullptr || !IsDriverName(name)) {
    return Jump(RealDlvsym());
  }
  return Find({*call, name, version});
}

}  // extern "C"
