// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/inside_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>

#include "tests/support/test_certificates.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using State = InsideFile::State;

// proc/7/root is the root of process 7; `outside` lies beside it.
class InsideFileTest : public ::testing::Test {
 protected:
  InsideFileTest() : proc_(directory_.PathOf("proc")), root_(proc_ + "/7/root") {
    fs::create_directories(root_ + "/run");
    std::ofstream(root_ + "/run/record") << "limits";
    directory_.Write("outside", "a secret of the host");
  }

  InsideFile Read(const std::string& path, std::size_t most = 64) const {
    return ReadInside(proc_, 7, path, most);
  }

  test::TemporaryDirectory directory_;
  const std::string proc_;
  const std::string root_;
};

TEST_F(InsideFileTest, ReadsWhatTheProcessSees) {
  const InsideFile file = Read("/run/record");
  ASSERT_EQ(file.state, State::kRead) << file.why;
  EXPECT_EQ(file.bytes, "limits");
  EXPECT_EQ(file.identity, IdentityOf(root_ + "/run/record"));
}

TEST_F(InsideFileTest, NoLinkLeadsOutOfTheRoot) {
  fs::create_symlink(directory_.PathOf("outside"), root_ + "/run/absolute");
  fs::create_symlink("../../../../../../../../../" + directory_.PathOf("outside"),
                     root_ + "/run/relative");
  fs::create_symlink("record", root_ + "/run/good");
  fs::create_symlink("/run", root_ + "/var");
  EXPECT_EQ(Read("/run/absolute").state, State::kMissing);
  EXPECT_EQ(Read("/run/relative").state, State::kMissing);
  EXPECT_EQ(Read("/../../outside").state, State::kMissing);
  EXPECT_EQ(Read("/run/good").bytes, "limits");
  EXPECT_EQ(Read("/var/record").bytes, "limits");
}

TEST_F(InsideFileTest, WhatIsNoRegularFileIsNotOpened) {
  ASSERT_EQ(mkfifo((root_ + "/run/fifo").c_str(), 0600), 0);
  ASSERT_EQ(mknod((root_ + "/run/device").c_str(), S_IFCHR | 0600, makedev(1, 5)), 0);
  fs::create_symlink("loop", root_ + "/run/loop");
  for (const char* name : {"/run/fifo", "/run/device", "/run", "/run/loop"}) {
    const InsideFile file = Read(name);
    EXPECT_EQ(file.state, State::kOdd) << name << ": " << file.why;
    EXPECT_NE(file.why.find(name), std::string::npos);
  }
}

TEST_F(InsideFileTest, NoMoreThanTheBoundIsRead) {
  EXPECT_EQ(Read("/run/record", 6).state, State::kRead);
  EXPECT_EQ(Read("/run/record", 5).state, State::kOdd);
  std::ofstream(root_ + "/run/huge").seekp(1L << 40).put('x');
  EXPECT_EQ(Read("/run/huge", 3088).state, State::kOdd);
}

TEST_F(InsideFileTest, AProcessThatIsGoneHasNoFiles) {
  const InsideFile file = ReadInside(proc_, 8, "/run/record", 64);
  EXPECT_EQ(file.state, State::kMissing);
  EXPECT_NE(file.why.find("process 8"), std::string::npos);
}

TEST_F(InsideFileTest, DevicesAreTheNumbersOfNodesNotOfWhatLinksName) {
  EXPECT_EQ(DevicesInside(proc_, 7), std::nullopt);
  fs::create_directory(root_ + "/dev");
  ASSERT_EQ(mknod((root_ + "/dev/nvidia0").c_str(), S_IFCHR | 0600, makedev(195, 0)), 0);
  fs::create_symlink("/dev/null", root_ + "/dev/link");
  std::ofstream(root_ + "/dev/file") << "x";
  EXPECT_EQ(DevicesInside(proc_, 7), std::set<dev_t>{makedev(195, 0)});
}

TEST_F(InsideFileTest, ADevThatLeadsElsewhereStaysInTheRoot) {
  fs::create_symlink("/../../../dev", root_ + "/dev");
  EXPECT_EQ(DevicesInside(proc_, 7), std::nullopt);
}

}  // namespace
}  // namespace aliquot::agent
