// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <link.h>

// The C library's own dlsym, dlvsym, dlopen and dlmopen, which this library's stand before. They
// are found by walking the link map to libc.so.6 or (before glibc 2.34) libdl.so.2 and reading its
// symbol table, since every other way would find this library's. Thread-safe; nothing here calls a
// function that a program can replace, but for dladdr1, which nobody does.

namespace aliquot::interposer {

using DlsymFunction = void* (*)(void* handle, const char* name);
using DlvsymFunction = void* (*)(void* handle, const char* name, const char* version);
using DlopenFunction = void* (*)(const char* file, int mode);
using DlmopenFunction = void* (*)(Lmid_t space, const char* file, int mode);

DlsymFunction RealDlsym();
DlvsymFunction RealDlvsym();
DlopenFunction RealDlopen();
DlmopenFunction RealDlmopen();

// This object in its namespace; also the handle that dlopen gives for it.
const link_map* OwnMap();
// The first object of the namespace: the program.
link_map* FirstMap();
// The object that an address lies in, or null.
const link_map* MapOf(const void* address);
// A function that the object itself defines, as a program that asks for no version would be given
// it; null: none. Unlike a dlsym that fails it leaves dlerror alone, and before glibc 2.34 that
// ends the process when it happens outside the first namespace.
void* FunctionIn(const link_map* map, const char* name);
// DT_SONAME, or "".
const char* SonameOf(const link_map* map);

}  // namespace aliquot::interposer
