// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/grant/file_system.h"
#include "agent/grant/state_layout.h"
#include "base/status.h"

namespace aliquot::agent {

// The enforcement library as grants link it: one copy on the state's file system, named by its
// content, so that running containers keep the one that they started with.
struct PublishedLibrary {
  std::string version;    // the first 16 hex digits of the file's SHA-256; "" = there is none
  std::string directory;  // <state>/library/<version>
  std::string file;       // its name in there

  bool available() const { return !version.empty(); }
};

// No enforcement library is larger.
inline constexpr std::size_t kMaxLibraryBytes = 64 << 20;

// Copies the library at `path` to the shelf unless that content lies there already; whole or not at
// all. "" as path = none is configured, which is no error. Errors: one sentence with the file.
Result<PublishedLibrary> PublishLibrary(const FileSystem& files, const StateLayout& layout,
                                        const std::string& path);

}  // namespace aliquot::agent
