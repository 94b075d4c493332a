// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/driver_incarnation.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

TEST(DriverIncarnation, ChangesWithTheBootAndWithTheModule) {
  const ScratchDirectory root;
  std::filesystem::create_directories(root.File("proc/sys/kernel/random"));
  std::filesystem::create_directories(root.File("sys/module"));
  root.Write("proc/sys/kernel/random/boot_id", "boot-1\n");
  EXPECT_EQ(DriverIncarnation(root.File("")), "boot-1/");
  std::filesystem::create_directory(root.File("sys/module/nvidia"));
  const std::string loaded = DriverIncarnation(root.File(""));
  EXPECT_EQ(loaded.rfind("boot-1/", 0), 0u);
  EXPECT_GT(loaded.size(), 7u);
  EXPECT_EQ(DriverIncarnation(root.File("")), loaded);
  // Loaded again: the directory is another one.
  std::filesystem::create_directory(root.File("sys/module/nvidia-new"));
  std::filesystem::remove(root.File("sys/module/nvidia"));
  std::filesystem::rename(root.File("sys/module/nvidia-new"), root.File("sys/module/nvidia"));
  EXPECT_NE(DriverIncarnation(root.File("")), loaded);
  root.Write("proc/sys/kernel/random/boot_id", "boot-2\n");
  EXPECT_EQ(DriverIncarnation(root.File("")).rfind("boot-2/", 0), 0u);
}

}  // namespace
}  // namespace aliquot::agent
