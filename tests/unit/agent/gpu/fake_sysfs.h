// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace aliquot::agent {

// A folder that looks like the part of /sys that says where devices sit.
class FakeSysfs {
 public:
  explicit FakeSysfs(std::string root) : root_(std::move(root)) {
    std::filesystem::create_directories(root_ + "/bus/pci/devices");
  }

  const std::string& root() const { return root_; }

  // `path` from the host bridge down: "pci0000:3a/0000:3a:00.0/0000:3b:00.0".
  void AddDevice(const std::string& path, int numa) {
    const std::string folder = root_ + "/devices/" + path;
    std::filesystem::create_directories(folder);
    Write(folder + "/numa_node", std::to_string(numa));
    const std::string name = std::filesystem::path(path).filename();
    std::filesystem::create_directory_symlink("../../../devices/" + path,
                                              root_ + "/bus/pci/devices/" + name);
  }
  // Pre: the device is there.
  void SetClass(const std::string& pci, const std::string& type, const std::string& vendor) {
    Write(root_ + "/bus/pci/devices/" + pci + "/class", type);
    Write(root_ + "/bus/pci/devices/" + pci + "/vendor", vendor);
  }
  // Pre: the device is there.
  void AddNic(const std::string& name, const std::string& pci) {
    const std::string folder = root_ + "/class/infiniband/" + name;
    std::filesystem::create_directories(folder);
    std::filesystem::create_directory_symlink("../../../bus/pci/devices/" + pci,
                                              folder + "/device");
  }
  void AddNode(int node, const std::string& cpus) {
    const std::string folder = root_ + "/devices/system/node/node" + std::to_string(node);
    std::filesystem::create_directories(folder);
    Write(folder + "/cpulist", cpus);
  }

 private:
  static void Write(const std::string& path, const std::string& text) {
    std::ofstream(path) << text << "\n";
  }

  const std::string root_;
};

}  // namespace aliquot::agent
