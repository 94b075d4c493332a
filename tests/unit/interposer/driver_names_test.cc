// SPDX-License-Identifier: Apache-2.0
#include "interposer/driver_names.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::interposer {
namespace {

TEST(DriverNames, EveryVersionOfLibcudaIsTheDriver) {
  EXPECT_TRUE(IsCudaFile("libcuda.so"));
  EXPECT_TRUE(IsCudaFile("libcuda.so.1"));
  EXPECT_TRUE(IsCudaFile("libcuda.so.535.261.03"));
}

TEST(DriverNames, LibrariesWithLongerNamesAreNot) {
  EXPECT_FALSE(IsCudaFile("libcudart.so.12"));
  EXPECT_FALSE(IsCudaFile("libcuda.sox"));
  EXPECT_FALSE(IsCudaFile("libcudadebugger.so.1"));
  EXPECT_FALSE(IsCudaFile("mylibcuda.so.1"));
  EXPECT_FALSE(IsCudaFile(""));
}

TEST(DriverNames, NvmlIsOfTheDriverButNotCuda) {
  EXPECT_TRUE(IsDriverFile("libnvidia-ml.so.1"));
  EXPECT_FALSE(IsCudaFile("libnvidia-ml.so.1"));
  EXPECT_FALSE(IsDriverFile("libnvidia-mlx.so.1"));
}

TEST(DriverNames, FoldersOfStubsAreKnownAnywhereInAPath) {
  EXPECT_TRUE(IsStubFolder("/usr/local/cuda/lib64/stubs"));
  EXPECT_TRUE(IsStubFolder("/usr/local/cuda/lib64/stubs/libcuda.so.1"));
  EXPECT_FALSE(IsStubFolder("/usr/lib/stubsets/libcuda.so.1"));
  EXPECT_FALSE(IsStubFolder("/usr/lib"));
}

TEST(DriverNames, TheLoadersOwnFoldersAreNotThoseOfUsers) {
  EXPECT_TRUE(IsDefaultFolder("/usr/lib/x86_64-linux-gnu"));
  EXPECT_FALSE(IsDefaultFolder("/usr/local/lib"));
  EXPECT_FALSE(IsDefaultFolder("/usr/lib/x86_64-linux-gnu/nvidia"));
}

TEST(DriverNames, TheFoldersOfDriversEndAndAreAbsolute) {
  int count = 0;
  for (; DriverFolder(count) != nullptr; ++count) {
    EXPECT_EQ(std::string(DriverFolder(count)).front(), '/');
  }
  EXPECT_GT(count, 4);
}

}  // namespace
}  // namespace aliquot::interposer
