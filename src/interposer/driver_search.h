// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the real driver's file may be: first what the loader would have found without this library
// (the program's RPATH, LD_LIBRARY_PATH as it was at the start and unless AT_SECURE forbade it,
// RUNPATH, ld.so.cache, the default folders), then the folders that drivers are known to be mounted
// at. The loader itself says the former (dlinfo, RTLD_DI_SERINFO), so no variable is read here.

namespace aliquot::interposer {

// Calls `visit` with the path of each candidate, best first, until it returns false. A candidate is
// an ELF file for this machine, not this library and not of a folder of stubs. Takes no lock and
// keeps nothing.
void FindDriverFiles(const char* soname, bool (*visit)(const char* path, void* context),
                     void* context);

// Whether an ELF file binds its own names to itself (DT_SYMBOLIC), so that its inner calls cannot
// land in somebody else's functions.
bool IsSymbolic(const char* path);

}  // namespace aliquot::interposer
