// SPDX-License-Identifier: Apache-2.0
// FindDriverFiles: which files of a driver root a container needs to compute.
#include <elf.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>

#include "agent/grant/driver_mirror.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
constexpr std::string_view kTriplet = "x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
constexpr std::string_view kTriplet = "aarch64-linux-gnu";
#else
constexpr std::uint16_t kMachine = EM_NONE;
constexpr std::string_view kTriplet = "";
#endif

struct KnownLibrary {
  std::string_view name;    // before ".so.<version>"
  std::string_view soname;  // the number that programs link: "1" of libcuda.so.1; "" = the version
};

// What computing, watching and video need. Graphics is left to the images.
constexpr std::array kLibraries{
    KnownLibrary{"libcuda", "1"},
    KnownLibrary{"libcudadebugger", "1"},
    KnownLibrary{"libnvidia-ml", "1"},
    KnownLibrary{"libnvidia-cfg", "1"},
    KnownLibrary{"libnvidia-nvvm", "4"},
    KnownLibrary{"libnvidia-nvvm70", "4"},
    KnownLibrary{"libnvidia-ptxjitcompiler", "1"},
    KnownLibrary{"libnvidia-fatbinaryloader", ""},
    KnownLibrary{"libnvidia-gpucomp", ""},
    KnownLibrary{"libnvidia-compiler", ""},
    KnownLibrary{"libnvidia-opencl", "1"},
    KnownLibrary{"libnvidia-allocator", "1"},
    KnownLibrary{"libnvidia-nscq", "2"},
    KnownLibrary{"libnvidia-pkcs11", ""},
    KnownLibrary{"libnvidia-pkcs11-openssl3", ""},
    KnownLibrary{"libnvcuvid", "1"},
    KnownLibrary{"libnvidia-encode", "1"},
    KnownLibrary{"libnvidia-opticalflow", "1"},
};
constexpr std::array<std::string_view, 4> kPrograms{
    "nvidia-smi", "nvidia-debugdump", "nvidia-cuda-mps-control", "nvidia-cuda-mps-server"};

constexpr std::size_t kMaxVersionLength = 32;

// "535.104.05": two numbers or more, so that "libcuda.so.1" is none.
bool IsVersion(std::string_view text) {
  if (text.size() > kMaxVersionLength || text.find('.') == std::string_view::npos) {
    return false;
  }
  for (const std::string_view part : Split(text, '.')) {
    if (!ParseUnsigned(part)) {
      return false;
    }
  }
  return true;
}

bool OlderVersion(const std::string& a, const std::string& b) {
  const auto numbers = [](const std::string& version) {
    std::vector<std::int64_t> parts;
    for (const std::string_view part : Split(version, '.')) {
      parts.push_back(ParseUnsigned(part).value_or(0));
    }
    return parts;
  };
  return numbers(a) < numbers(b);
}

// Links are not followed: one of a driver container points into a root that is not ours.
bool IsOurElf(const FileSystem& files, const std::string& path) {
  FileLook look;
  std::string head;
  if (files.Look(path, look) != 0 || look.kind != FileLook::Kind::kRegular ||
      files.ReadHead(path, sizeof(Elf64_Ehdr), head) != 0 || head.size() != sizeof(Elf64_Ehdr)) {
    return false;
  }
  Elf64_Ehdr header;
  std::memcpy(&header, head.data(), sizeof(header));
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == kMachine;
}

std::vector<std::string> LibraryDirectories(const std::string& root) {
  std::vector<std::string> directories;
  for (const char* each : {"/usr/lib64", "/usr/lib", "/lib64", "/lib", "/usr/lib/nvidia/current",
                           "/usr/lib64/nvidia", "/usr/local/nvidia/lib64", "/lib/nvidia/current"}) {
    directories.push_back(root + each);
  }
  if (!kTriplet.empty()) {
    for (const char* each : {"/usr/lib/", "/lib/"}) {
      directories.insert(directories.begin(), root + each + std::string(kTriplet));
      directories.push_back(root + each + std::string(kTriplet) + "/nvidia/current");
    }
  }
  return directories;
}

using LibrariesOfVersion = std::map<std::string, DriverFiles::File>;  // by library

// Each version's libraries; of a library that lies in several directories the first one.
std::map<std::string, LibrariesOfVersion> FindLibraries(const FileSystem& files,
                                                        const std::string& root) {
  std::map<std::string, LibrariesOfVersion> found;
  for (const std::string& directory : LibraryDirectories(root)) {
    std::vector<std::string> names;
    files.List(directory, names);  // most of them are not there
    for (const std::string& name : names) {
      const std::size_t so = name.find(".so.");
      if (so == std::string::npos) {
        continue;
      }
      const std::string stem = name.substr(0, so);
      const std::string version = name.substr(so + 4);
      const auto known = std::find_if(kLibraries.begin(), kLibraries.end(),
                                      [&](const KnownLibrary& each) { return each.name == stem; });
      if (known == kLibraries.end() || !IsVersion(version) || found[version].count(stem) != 0 ||
          !IsOurElf(files, directory + "/" + name)) {
        continue;
      }
      DriverFiles::File file{directory + "/" + name, name, {}};
      if (!known->soname.empty()) {
        file.links.push_back(stem + ".so." + std::string(known->soname));
        file.links.push_back(stem + ".so");
      }
      found[version][stem] = std::move(file);
    }
  }
  return found;
}

std::vector<DriverFiles::File> FindPrograms(const FileSystem& files, const std::string& root) {
  std::vector<DriverFiles::File> found;
  for (const std::string_view program : kPrograms) {
    for (const char* directory : {"/usr/bin", "/bin", "/usr/local/bin", "/usr/lib/nvidia/current",
                                  "/usr/local/nvidia/bin"}) {
      const std::string path = root + directory + "/" + std::string(program);
      if (IsOurElf(files, path)) {
        found.push_back({path, std::string(program), {}});
        break;
      }
    }
  }
  return found;
}

}  // namespace

Result<DriverFiles> FindDriverFiles(const FileSystem& files, const std::string& root,
                                    const std::string& loaded) {
  const std::string below = root == "/" ? "" : root;
  std::map<std::string, LibrariesOfVersion> versions = FindLibraries(files, below);
  std::string other;
  for (auto at = versions.begin(); at != versions.end();) {
    const bool complete = at->second.count("libcuda") != 0 && at->second.count("libnvidia-ml") != 0;
    if (complete) {
      ++at;
      continue;
    }
    if (!at->second.empty()) {
      other = at->first;
    }
    at = versions.erase(at);
  }
  if (versions.empty()) {
    return FailedPrecondition(
        other.empty()
            ? "no driver libraries lie below driver root " + root +
                  "; install NVIDIA's driver there, or name its root in gpu.driverRoot"
            : "the driver " + other + " below driver root " + root +
                  " is not whole, as libcuda.so or libnvidia-ml.so of that version is missing; "
                  "install all of it");
  }
  auto chosen = versions.find(loaded);
  if (loaded.empty()) {
    chosen = std::max_element(versions.begin(), versions.end(), [](const auto& a, const auto& b) {
      return OlderVersion(a.first, b.first);
    });
  } else if (chosen == versions.end()) {
    return FailedPrecondition("the loaded driver is " + Printable(loaded) +
                              ", and below driver root " + root + " lie the libraries of " +
                              versions.rbegin()->first +
                              "; install the same version, or reboot after an upgrade");
  }
  DriverFiles driver;
  driver.version = chosen->first;
  for (auto& [stem, file] : chosen->second) {
    driver.libraries.push_back(std::move(file));
  }
  driver.programs = FindPrograms(files, below);
  return driver;
}

}  // namespace aliquot::agent
