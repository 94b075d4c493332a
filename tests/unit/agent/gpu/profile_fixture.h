// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/gpu/machine_profile.h"
#include "agent/gpu/machine_state.h"

namespace aliquot::agent {

inline std::string ShippedProfile(const std::string& name) {
  return std::string(ALIQUOT_SOURCE_DIR) + "/profiles/" + name + ".yaml";
}

// Three cards A, B and C; A and B on one NUMA node, C on the other.
inline constexpr char kThreeCards[] =
    "apiVersion: aliquot.io/v1alpha1\n"
    "kind: MachineProfile\n"
    "driver: \"535.183.01\"\n"
    "cuda: \"12.2\"\n"
    "everyCard: {model: Tesla T4, mib: 15360, computeCapability: \"7.5\"}\n"
    "cards:\n"
    "  - {uuid: GPU-a, minor: 0, pci: \"0000:3b:00.0\", numa: 0}\n"
    "  - {uuid: GPU-b, minor: 1, pci: \"0000:5e:00.0\", numa: 0}\n"
    "  - {uuid: GPU-c, minor: 2, pci: \"0000:af:00.0\", numa: 1}\n"
    "links: {triangle: \"PIX,SYS,NODE\"}\n"
    "nics:\n"
    "  - {name: mlx5_0, pci: \"0000:3c:00.0\", numa: 0, toCards: [PIX, PXB, SYS]}\n"
    "deviceNodes:\n"
    "  control:\n"
    "    - {name: nvidiactl, major: 195, minor: 255}\n"
    "    - {name: nvidia-uvm, major: 511, minor: 0}\n";

inline MachineProfile ThreeCards() {
  program::Problems problems;
  auto profile = ParseMachineProfile(kThreeCards, "three.yaml", problems);
  if (!profile) {
    throw std::runtime_error(problems.lines().front());
  }
  return *std::move(profile);
}

// A directory of its own for one test, removed at the end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "aliquot-gpu-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string File(const std::string& name) const { return path_ + "/" + name; }
  // Written aside and renamed, as a state file has to be.
  void Write(const std::string& name, const std::string& text) const {
    {
      std::ofstream stream(File(name + ".new"), std::ios::binary);
      stream << text;
      ASSERT_TRUE(stream.good());
    }
    std::filesystem::rename(File(name + ".new"), File(name));
  }

 private:
  std::string path_;
};

// The body of a state file after its head.
inline std::string StateText(const std::string& body) {
  return "apiVersion: aliquot.io/v1alpha1\nkind: MachineState\n" + body;
}

}  // namespace aliquot::agent
