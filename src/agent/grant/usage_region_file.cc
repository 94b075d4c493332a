// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/usage_region_file.h"

#include <cerrno>
#include <memory>
#include <string_view>

#include "agent/grant/storage_error.h"
#include "quota/usage_region.h"

namespace aliquot::agent {
namespace {

constexpr mode_t kRegionMode = 0666;

// Whose counters the file holds; beside it, out of the container's reach.
std::string OwnerText(const ContainerIdentity& owner) {
  return owner.uid + "\n" + owner.container + "\n";
}

// The file can go on being used: a plain file, complete, with its header.
bool Usable(const FileSystem& files, const std::string& region) {
  FileLook look;
  std::string bytes;
  return files.Look(region, look) == 0 && look.kind == FileLook::Kind::kRegular &&
         look.links == 1 && look.size == sizeof(quota::UsageRegion) &&
         files.Read(region, sizeof(quota::UsageRegion), bytes) == 0 &&
         quota::CheckUsage(bytes.data(), bytes.size()) == quota::UsageFault::kNone;
}

// Writes `text` beside `path` and puts it there, whatever was there before.
int Replace(const FileSystem& files, const std::string& path, std::string_view text, mode_t mode) {
  const std::string aside = path + ".new";
  // What an interrupted call left there is looked for only when it is in the way: this is inside
  // the store's lock, and starts wait for each other here.
  int error = files.WriteNew(aside, text, mode);
  if (error == EEXIST) {
    error = files.RemoveTree(aside);
    error = error != 0 ? error : files.WriteNew(aside, text, mode);
  }
  if (error != 0) {
    return error;
  }
  FileLook look;
  if (files.Look(path, look) == 0 && look.kind == FileLook::Kind::kDirectory) {
    error = files.RemoveTree(path);  // a runtime makes one where a mount has no source
  }
  error = error != 0 ? error : files.Rename(aside, path);
  if (error != 0) {
    files.RemoveTree(aside);
  }
  return error;
}

}  // namespace

Status PrepareUsageRegion(const FileSystem& files, const StateLayout& layout,
                          const std::string& name, const ContainerIdentity& owner) {
  const std::string directory = layout.UsageDirectory(name);
  const std::string region = layout.UsageRegion(name);
  FileLook look;
  if (files.Look(directory, look) == 0 && look.kind != FileLook::Kind::kDirectory) {
    if (const int error = files.RemoveTree(directory)) {
      return StorageError(layout.Usage(), "removing what is in the way of a usage file", error);
    }
  }
  if (const int error = files.MakeDirectory(directory, 0700); error != 0 && error != EEXIST) {
    return StorageError(layout.Usage(), "making the directory of the usage file", error);
  }
  const std::string wanted = OwnerText(owner);
  std::string written;
  if (files.Read(layout.UsageOwner(name), 4096, written) == 0 && written == wanted &&
      Usable(files, region) && files.Restore(region, kRegionMode) == 0) {
    return Status::Ok();
  }
  // The whole file is written, not only its length set: a container must not die of a full file
  // system when it first touches a page.
  const auto fresh = std::make_unique<quota::UsageRegion>();
  quota::InitialiseUsage(*fresh);
  const std::string_view bytes(reinterpret_cast<const char*>(fresh.get()), sizeof(*fresh));
  if (const int error = Replace(files, region, bytes, kRegionMode)) {
    return StorageError(layout.Usage(), "writing the usage file", error);
  }
  // The owner after the file: a stop between the two makes another fresh one, never hands one
  // container's counters to another.
  if (const int error = Replace(files, layout.UsageOwner(name), wanted, 0600)) {
    return StorageError(layout.Usage(), "writing the owner of the usage file", error);
  }
  return Status::Ok();
}

}  // namespace aliquot::agent
