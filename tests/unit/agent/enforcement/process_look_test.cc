// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/process_look.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace aliquot::agent {
namespace {

constexpr char kUid[] = "1f0e0000-0000-4000-8000-000000000001";
const std::string kContainer(64, 'c');

TEST(ParseMapsTest, AFileIsListedOnceAndExecutableIfAnyMappingIs) {
  const MappedFiles mapped = ParseMaps(
      "7f0000000000-7f0000001000 r--p 00000000 00:1b 41      /run/aliquot/library/libaliquot.so\n"
      "7f0000001000-7f0000002000 r-xp 00001000 00:1b 41      /run/aliquot/library/libaliquot.so\n"
      "7f0000003000-7f0000004000 rw-p 00000000 00:00 0       [heap]\n"
      "7f0000005000-7f0000006000 r--p 00000000 fd:10 42      /a b/libcuda.so.1 (deleted)\n");
  ASSERT_EQ(mapped.files.size(), 2u);
  EXPECT_EQ(mapped.files[0].identity, (FileIdentity{makedev(0, 0x1b), 41}));
  EXPECT_TRUE(mapped.files[0].executable);
  EXPECT_EQ(mapped.files[1].path, "/a b/libcuda.so.1 (deleted)");
  EXPECT_EQ(mapped.files[1].identity.device, makedev(0xfd, 0x10));
  EXPECT_FALSE(mapped.files[1].executable);
}

TEST(ParseMapsTest, LinesThatAreNoneAreLeftOut) {
  EXPECT_TRUE(ParseMaps("").files.empty());
  EXPECT_TRUE(
      ParseMaps("nonsense\n1-2 r-xp 0 zz:01 5 /x\n1-2 r-xp 0 00:01 five /x\n1-2 r 0 00:01 5")
          .files.empty());
}

TEST(ParseStartTicksTest, TheNameMayHoldBracketsAndBlanks) {
  EXPECT_EQ(ParseStartTicks("7 (a) R 1 ) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 9876 20"),
            9876u);
  EXPECT_EQ(ParseStartTicks("7 (a) S 1 2"), std::nullopt);
  EXPECT_EQ(ParseStartTicks(""), std::nullopt);
}

TEST(ParseInnermostPidTest, IsTheLastOfTheLine) {
  EXPECT_EQ(ParseInnermostPid("Name:\tx\nNSpid:\t4711\t12\t3\nVmPeak: 1\n"), 3);
  EXPECT_EQ(ParseInnermostPid("NSpid:\t4711\n"), 4711);
  EXPECT_EQ(ParseInnermostPid("Name:\tNSpid\n"), std::nullopt);
}

TEST(IsDriverLibraryTest, ByTheNameOfTheFileAlone) {
  EXPECT_TRUE(IsDriverLibrary("/usr/lib/libcuda.so.535.261.03"));
  EXPECT_TRUE(IsDriverLibrary("libnvidia-ml.so.1"));
  EXPECT_FALSE(IsDriverLibrary("/opt/libcudart.so.12"));
  EXPECT_FALSE(IsDriverLibrary("/libcuda.so.1/libaliquot.so"));
}

class ProcessReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(::testing::TempDir()) /
            ("proc-" + std::to_string(getpid()) + "-" +
             ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  void AddProcess(const std::string& pid, const std::string& cgroup) {
    Write(pid + "/cgroup", cgroup);
    Write(pid + "/stat", pid + " (x) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 500 0\n");
    Write(pid + "/comm", "tr\x1b[ain\n");
    Write(pid + "/status", "NSpid:\t" + pid + "\t9\n");
    Write(pid + "/maps", "1-2 r-xp 0 00:1b 41 /usr/lib/libcuda.so.1\n");
    std::filesystem::create_directories(root_ / pid / "fd");
  }
  std::string PodGroup() const {
    return "0::/kubepods/pod" + std::string(kUid) + "/" + kContainer + "\n";
  }

  std::filesystem::path root_;
};

TEST_F(ProcessReaderTest, SeesDevicesByTheDescriptorWhateverItIsCalled) {
  AddProcess("70", PodGroup());
  std::filesystem::create_symlink("/dev/null", root_ / "70/fd/3");
  std::filesystem::create_symlink("/nowhere", root_ / "70/fd/4");
  Write("70/fd/5", "a regular file");
  const auto look = ProcessReader(root_.string()).Look(70);
  ASSERT_TRUE(look.ok()) << look.status().ToString();
  EXPECT_EQ(look->devices, std::set<dev_t>{makedev(1, 3)});
  EXPECT_EQ(look->start_ticks, 500u);
  EXPECT_EQ(look->own_pid, 9);
  EXPECT_EQ(look->name, "tr?[ain");
  EXPECT_EQ(look->owner.pod_uid, kUid);
  EXPECT_EQ(look->owner.container_id, kContainer);
  EXPECT_TRUE(look->Maps({makedev(0, 0x1b), 41}));
  EXPECT_FALSE(look->Maps({makedev(0, 0x1b), 42}));
  EXPECT_TRUE(look->MapsDriver());
}

TEST_F(ProcessReaderTest, OnlyProcessesOfPodsAreMembers) {
  AddProcess("70", PodGroup());
  AddProcess("71", "0::/system.slice/sshd.service\n");
  Write("7x/cgroup", PodGroup());
  const auto members = ProcessReader(root_.string()).Members();
  ASSERT_EQ(members.size(), 1u);
  EXPECT_EQ(members[0].pid, 70);
  const auto look = ProcessReader(root_.string()).Look(71);
  EXPECT_EQ(look.status().code(), StatusCode::kNotFound);
}

TEST_F(ProcessReaderTest, MoreFilesThanAreKeptIsSaidSo) {
  AddProcess("70", PodGroup());
  std::string maps;
  for (int i = 1; i <= 9000; ++i) {
    maps += "1-2 r-xp 0 00:1b " + std::to_string(i) + " /f\n";
  }
  Write("70/maps", maps);
  const auto look = ProcessReader(root_.string()).Look(70);
  ASSERT_TRUE(look.ok());
  EXPECT_FALSE(look->mapped.complete);
  EXPECT_EQ(look->mapped.files.size(), 8192u);
}

TEST_F(ProcessReaderTest, ALineWithoutEndIsNotKept) {
  AddProcess("70", PodGroup());
  Write("70/maps", "1-2 r-xp 0 00:1b 7 /" + std::string(3 << 20, 'x'));
  const auto look = ProcessReader(root_.string()).Look(70);
  ASSERT_TRUE(look.ok());
  EXPECT_FALSE(look->mapped.complete);
}

TEST_F(ProcessReaderTest, AProcessThatIsGoneIsNotFound) {
  EXPECT_EQ(ProcessReader(root_.string()).Look(70).status().code(), StatusCode::kNotFound);
}

// A child whose first thread ends at once, while a second one waits to be killed. By the kernel's
// own /proc, which shows no mapping under the number of such a process.
TEST(ProcessReaderOnLinuxTest, AProcessThatGoesOnWithoutItsFirstThreadIsSeen) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    pthread_t thread;
    const auto wait = [](void*) -> void* {
      for (;;) {
        pause();
      }
    };
    pthread_create(&thread, nullptr, wait, nullptr);
    syscall(SYS_exit, 0);  // this thread alone
  }
  const std::string folder = "/proc/" + std::to_string(child);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool without_first = false;
  while (!without_first && std::chrono::steady_clock::now() < deadline) {
    std::stringstream maps;
    maps << std::ifstream(folder + "/maps").rdbuf();
    without_first = maps.str().empty();
    std::this_thread::yield();
  }
  EXPECT_TRUE(without_first);
  const auto mapped = ProcessReader().Mapped(child, {});
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  ASSERT_TRUE(mapped.ok()) << mapped.status().ToString();
  EXPECT_TRUE(mapped->alive);
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  EXPECT_TRUE(std::any_of(mapped->files.begin(), mapped->files.end(), [&](const MappedFile& file) {
    return file.executable && file.path == self;
  }));
}

TEST(IdentityOfTest, TakesNoLinkAndNoFolder) {
  EXPECT_EQ(IdentityOf("/proc/self/exe"), std::nullopt);
  EXPECT_EQ(IdentityOf("/"), std::nullopt);
  EXPECT_EQ(IdentityOf("/nowhere/at/all"), std::nullopt);
}

}  // namespace
}  // namespace aliquot::agent
