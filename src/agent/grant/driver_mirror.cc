// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/driver_mirror.h"

#include <cerrno>

#include "agent/grant/storage_error.h"

namespace aliquot::agent {
namespace {

// Hard links cost nothing and keep the old file when the driver is upgraded; they need one file
// system and one mount.
int PutFile(const FileSystem& files, const DriverFiles::File& file, const std::string& directory) {
  const std::string to = directory + "/" + file.name;
  int error = files.Link(file.path, to);
  if (error == EXDEV || error == EPERM || error == EMLINK || error == EACCES) {
    error = files.Copy(file.path, to, 0755);
  }
  for (const std::string& link : file.links) {
    error = error != 0 ? error : files.MakeLink(file.name, directory + "/" + link);
  }
  return error;
}

int PutAll(const FileSystem& files, const std::vector<DriverFiles::File>& all,
           const std::string& directory) {
  int error = files.MakeDirectory(directory, 0755);
  for (const DriverFiles::File& each : all) {
    error = error != 0 ? error : PutFile(files, each, directory);
  }
  return error;
}

bool Complete(const FileSystem& files, const std::vector<DriverFiles::File>& all,
              const std::string& directory) {
  for (const DriverFiles::File& each : all) {
    FileLook theirs;
    FileLook ours;
    if (files.Look(each.path, theirs) != 0 || files.Look(directory + "/" + each.name, ours) != 0 ||
        ours.kind != FileLook::Kind::kRegular || ours.size != theirs.size) {
      return false;
    }
    for (const std::string& link : each.links) {
      if (files.Look(directory + "/" + link, ours) != 0) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace

Result<std::string> MirrorDriverFiles(const FileSystem& files, const DriverFiles& found,
                                      const std::string& data_directory) {
  const std::string shelf = data_directory + "/driver";
  const std::string place = shelf + "/" + found.version;
  if (Complete(files, found.libraries, place + "/lib64") &&
      Complete(files, found.programs, place + "/bin")) {
    return place;
  }
  const std::string aside = shelf + "/.new";
  int error = files.MakeDirectories(shelf, 0755);
  error = error != 0 ? error : files.RemoveTree(aside);
  error = error != 0 ? error : files.MakeDirectory(aside, 0755);
  error = error != 0 ? error : PutAll(files, found.libraries, aside + "/lib64");
  error = error != 0 ? error : PutAll(files, found.programs, aside + "/bin");
  FileLook look;
  if (error == 0) {
    error =
        files.Look(place, look) == 0 ? files.Exchange(aside, place) : files.Rename(aside, place);
  }
  files.RemoveTree(aside);  // half of a new one, or the one that was replaced
  if (error != 0) {
    return StorageError(shelf, "mirroring driver " + found.version, error);
  }
  return place;
}

DriverDelivery MirrorDriver(const FileSystem& files, const std::string& root,
                            const std::string& loaded, const std::string& data_directory) {
  DriverDelivery delivery;
  delivery.way = DriverDelivery::Way::kMirror;
  auto found = FindDriverFiles(files, root, loaded);
  if (!found.ok()) {
    delivery.sentence = found.status().message();
    return delivery;
  }
  delivery.version = found->version;
  auto directory = MirrorDriverFiles(files, *found, data_directory);
  if (directory.ok()) {
    delivery.directory = *std::move(directory);
  } else {
    delivery.sentence = directory.status().message();
  }
  return delivery;
}

void RemoveAllBut(const FileSystem& files, const std::string& directory,
                  const std::set<std::string>& keep) {
  std::vector<std::string> names;
  files.List(directory, names);
  for (const std::string& name : names) {
    if (keep.count(name) == 0) {
      files.RemoveTree(directory + "/" + name);
    }
  }
}

}  // namespace aliquot::agent
