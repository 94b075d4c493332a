// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/library_shelf.h"

#include <cerrno>
#include <system_error>

#include "agent/grant/sha256.h"
#include "agent/grant/storage_error.h"

namespace aliquot::agent {
namespace {

constexpr std::string_view kElfMagic("\177ELF", 4);

}  // namespace

Result<PublishedLibrary> PublishLibrary(const FileSystem& files, const StateLayout& layout,
                                        const std::string& path) {
  PublishedLibrary library;
  if (path.empty()) {
    return library;
  }
  std::string bytes;
  if (const int error = files.Read(path, kMaxLibraryBytes, bytes)) {
    return FailedPrecondition("the enforcement library " + path +
                              " cannot be read: " + std::generic_category().message(error) +
                              "; name the file itself, not a link, or leave the path empty");
  }
  if (bytes.compare(0, kElfMagic.size(), kElfMagic) != 0) {
    return FailedPrecondition("the enforcement library " + path +
                              " is not a shared object; name libaliquot.so, or leave the path "
                              "empty");
  }
  library.version = Sha256Hex(bytes).substr(0, 16);
  library.directory = layout.Library() + "/" + library.version;
  library.file = path.substr(path.rfind('/') + 1);
  const std::string target = library.directory + "/" + library.file;
  std::string there;
  if (files.Read(target, kMaxLibraryBytes, there) == 0 && there == bytes) {
    return library;
  }
  const std::string aside = layout.Library() + "/.new";
  int error = files.MakeDirectories(layout.Library(), 0755);
  error = error != 0 ? error : files.RemoveTree(aside);
  error = error != 0 ? error : files.MakeDirectory(aside, 0755);
  error = error != 0 ? error : files.WriteNew(aside + "/" + library.file, bytes, 0555);
  error = error != 0 ? error : files.RemoveTree(library.directory);
  error = error != 0 ? error : files.Rename(aside, library.directory);
  if (error != 0) {
    files.RemoveTree(aside);
    return StorageError(layout.Library(), "publishing the enforcement library", error);
  }
  return library;
}

}  // namespace aliquot::agent
