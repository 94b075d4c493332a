// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace aliquot::agent {

// A /proc of the test's own.
class FakeProc {
 public:
  explicit FakeProc(std::string root) : root_(std::move(root)) {
    std::filesystem::create_directories(root_);
  }

  const std::string& root() const { return root_; }
  void Put(pid_t pid, const std::string& uid, const std::string& container,
           std::uint64_t start = 500) {
    const std::string folder = Folder(pid);
    std::filesystem::create_directories(folder + "/fd");
    std::ofstream(folder + "/cgroup") << "0::/kubepods/pod" << uid << "/" << container << "\n";
    std::ofstream(folder + "/stat")
        << pid << " (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 " << start << " 0\n";
    MapNothing(pid);
    Program(pid, "first");
  }
  // The file is mapped as code, under whatever name.
  void Map(pid_t pid, const std::string& file, const std::string& shown) {
    struct stat facts {};
    stat(file.c_str(), &facts);
    char line[256];
    std::snprintf(line, sizeof line, "7f00-7f01 r-xp 00000000 %02x:%02x %llu %s\n",
                  major(facts.st_dev), minor(facts.st_dev),
                  static_cast<unsigned long long>(facts.st_ino), shown.c_str());
    std::ofstream(Folder(pid) + "/maps", std::ios::app) << line;
  }
  void MapNothing(pid_t pid) {
    std::ofstream(Folder(pid) + "/maps", std::ios::trunc)
        << "7ffd1000-7ffd2000 rw-p 00000000 00:00 0 [stack]\n";
  }
  // It is ending: its memory is gone, its files are not.
  void Leave(pid_t pid) { std::ofstream(Folder(pid) + "/maps", std::ios::trunc) << ""; }
  // What the process runs, another file each.
  void Program(pid_t pid, const std::string& name) {
    const std::string file = root_ + "/program-" + name;
    std::ofstream(file, std::ios::app) << "";
    std::filesystem::remove(Folder(pid) + "/exe");
    std::filesystem::create_symlink(file, Folder(pid) + "/exe");
  }
  void End(pid_t pid) { std::filesystem::remove_all(Folder(pid)); }

 private:
  std::string Folder(pid_t pid) const { return root_ + "/" + std::to_string(pid); }

  const std::string root_;
};

}  // namespace aliquot::agent
