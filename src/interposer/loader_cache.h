// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

// Reads /etc/ld.so.cache, where ldconfig notes which file each library name stands for. The format
// is glibc's (sysdeps/generic/dl-cache.h): "glibc-ld.so.cache1.1", alone or after the older table
// "ld.so-1.7.0"; entries of 24 bytes with offsets of names and paths. Pure; a damaged file ends the
// search, it is never read past its end.

namespace aliquot::interposer {

// Calls `visit` with the path of each x86-64 library of that name, in the cache's order, until it
// returns false.
void FindInLoaderCache(const void* cache, std::size_t size, const char* library,
                       bool (*visit)(const char* path, void* context), void* context);

}  // namespace aliquot::interposer
