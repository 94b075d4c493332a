// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/driver_mirror.h"

#include <algorithm>
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

bool Whole(const FileSystem& files, const DriverFiles::File& file, const std::string& directory) {
  FileLook theirs;
  FileLook ours;
  if (files.Look(file.path, theirs) != 0 || files.Look(directory + "/" + file.name, ours) != 0 ||
      ours.kind != FileLook::Kind::kRegular || ours.size != theirs.size) {
    return false;
  }
  return std::all_of(file.links.begin(), file.links.end(), [&](const std::string& link) {
    return files.Look(directory + "/" + link, ours) == 0;
  });
}

bool Complete(const FileSystem& files, const std::vector<DriverFiles::File>& all,
              const std::string& directory) {
  return std::all_of(all.begin(), all.end(),
                     [&](const DriverFiles::File& each) { return Whole(files, each, directory); });
}

// Moves what is missing or damaged in `place` over from `aside`, each name by one rename. The
// directory itself stays: running containers have it mounted, and would find an exchanged one
// empty.
int Mend(const FileSystem& files, const std::vector<DriverFiles::File>& all,
         const std::string& aside, const std::string& place) {
  int error = files.MakeDirectories(place, 0755);
  for (const DriverFiles::File& each : all) {
    if (error != 0 || Whole(files, each, place)) {
      continue;
    }
    error = files.Rename(aside + "/" + each.name, place + "/" + each.name);
    for (const std::string& link : each.links) {
      error = error != 0 ? error : files.Rename(aside + "/" + link, place + "/" + link);
    }
  }
  return error;
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
  if (error == 0 && files.Look(place, look) != 0) {
    error = files.Rename(aside, place);
  } else if (error == 0) {
    error = Mend(files, found.libraries, aside + "/lib64", place + "/lib64");
    error = error != 0 ? error : Mend(files, found.programs, aside + "/bin", place + "/bin");
  }
  files.RemoveTree(aside);  // half of a new one, or what was whole already
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
