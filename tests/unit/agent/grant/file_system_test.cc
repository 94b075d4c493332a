// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

class FileSystemTest : public testing::Test {
 protected:
  void SetUp() override { old_mask_ = ::umask(077); }
  void TearDown() override { ::umask(old_mask_); }

  mode_t ModeOf(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  }

  TemporaryDirectory directory_;
  FileSystem files_;
  mode_t old_mask_ = 0;
};

TEST_F(FileSystemTest, ModesAreExactWhateverTheUmask) {
  ASSERT_EQ(files_.MakeDirectory(directory_ / "d", 0555), 0);
  EXPECT_EQ(ModeOf(directory_ / "d"), 0555u);
  ASSERT_EQ(files_.WriteNew(directory_ / "f", "text", 0666), 0);
  EXPECT_EQ(ModeOf(directory_ / "f"), 0666u);
  EXPECT_EQ(ReadAll(directory_ / "f"), "text");
}

// Where the rights are missing the errno says so; with them the node is the host's in every bit.
TEST_F(FileSystemTest, ANodeHasNumberModeAndOwnerOfTheHost) {
  const int error = files_.MakeNode(directory_ / "nvidia3", {"nvidia3", 195, 3, 0666, 12, 34});
  if (error != 0) {
    EXPECT_EQ(error, EPERM);
    EXPECT_FALSE(Exists(directory_ / "nvidia3"));
    return;
  }
  struct stat status {};
  ASSERT_EQ(::lstat((directory_ / "nvidia3").c_str(), &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_EQ(major(status.st_rdev), 195u);
  EXPECT_EQ(minor(status.st_rdev), 3u);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
  EXPECT_EQ(status.st_uid, 12u);
  EXPECT_EQ(status.st_gid, 34u);
}

TEST_F(FileSystemTest, NothingIsOverwritten) {
  ASSERT_EQ(files_.WriteNew(directory_ / "f", "old", 0600), 0);
  EXPECT_EQ(files_.WriteNew(directory_ / "f", "new", 0600), EEXIST);
  EXPECT_EQ(ReadAll(directory_ / "f"), "old");
  ASSERT_EQ(files_.MakeLink("f", directory_ / "link"), 0);
  EXPECT_EQ(files_.WriteNew(directory_ / "link", "new", 0600), EEXIST);
}

TEST_F(FileSystemTest, CuttingTakesOnlyWhatIsPastTheEnd) {
  bool grown = true;
  ASSERT_EQ(files_.WriteNew(directory_ / "f", "12345", 0600), 0);
  EXPECT_EQ(files_.Cut(directory_ / "f", 5, grown), 0);
  EXPECT_FALSE(grown);
  EXPECT_EQ(files_.Cut(directory_ / "f", 4, grown), 0);
  EXPECT_TRUE(grown);
  EXPECT_EQ(ReadAll(directory_ / "f"), "1234");
  EXPECT_EQ(files_.Cut(directory_ / "f", 100, grown), 0);
  EXPECT_EQ(ReadAll(directory_ / "f"), "1234") << "never made longer";
}

TEST_F(FileSystemTest, CuttingTakesRoomThatWasSetAsideBeyondTheEnd) {
  const std::string path = directory_ / "f";
  ASSERT_EQ(files_.WriteNew(path, "12345", 0600), 0);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_EQ(::fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 8 << 20), 0) << std::strerror(errno);
  ::close(fd);
  bool grown = false;
  EXPECT_EQ(files_.Cut(path, 5, grown), 0);
  EXPECT_TRUE(grown);
  EXPECT_EQ(files_.Cut(path, 5, grown), 0);
  EXPECT_FALSE(grown) << "it is gone";
  EXPECT_EQ(ReadAll(path), "12345");
}

TEST_F(FileSystemTest, CuttingFollowsNoLink) {
  ASSERT_EQ(files_.WriteNew(directory_ / "f", "12345", 0600), 0);
  ASSERT_EQ(files_.MakeLink("f", directory_ / "link"), 0);
  bool grown = true;
  EXPECT_EQ(files_.Cut(directory_ / "link", 1, grown), 0);
  EXPECT_FALSE(grown);
  EXPECT_EQ(ReadAll(directory_ / "f"), "12345");
}

TEST_F(FileSystemTest, ReadingFollowsNoLinkAndWaitsForNothing) {
  std::string text;
  ASSERT_EQ(files_.WriteNew(directory_ / "f", "12345", 0600), 0);
  EXPECT_EQ(files_.Read(directory_ / "f", 5, text), 0);
  EXPECT_EQ(text, "12345");
  EXPECT_EQ(files_.Read(directory_ / "f", 4, text), EFBIG);
  ASSERT_EQ(files_.MakeLink("f", directory_ / "link"), 0);
  EXPECT_EQ(files_.Read(directory_ / "link", 5, text), EINVAL);
  ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(files_.Read(directory_ / "fifo", 5, text), EINVAL);
  EXPECT_EQ(files_.Read(directory_ / "", 5, text), EINVAL);
  EXPECT_EQ(files_.Read(directory_ / "absent", 5, text), ENOENT);
}

TEST_F(FileSystemTest, ExchangeIsOneStepForTwoDirectories) {
  ASSERT_EQ(files_.MakeDirectory(directory_ / "a", 0700), 0);
  ASSERT_EQ(files_.MakeDirectory(directory_ / "b", 0700), 0);
  ASSERT_EQ(files_.WriteNew(directory_ / "a/of-a", "", 0600), 0);
  ASSERT_EQ(files_.WriteNew(directory_ / "b/of-b", "", 0600), 0);
  ASSERT_EQ(files_.Exchange(directory_ / "a", directory_ / "b"), 0);
  EXPECT_EQ(Names(directory_ / "a"), std::vector<std::string>{"of-b"});
  EXPECT_EQ(Names(directory_ / "b"), std::vector<std::string>{"of-a"});
}

TEST_F(FileSystemTest, RemovingATreeFollowsNoLinkOutOfIt) {
  ASSERT_EQ(files_.MakeDirectories(directory_ / "tree/inner", 0755), 0);
  ASSERT_EQ(files_.MakeDirectory(directory_ / "outside", 0755), 0);
  ASSERT_EQ(files_.WriteNew(directory_ / "outside/kept", "", 0600), 0);
  ASSERT_EQ(files_.MakeLink("../outside", directory_ / "tree/link"), 0);
  ASSERT_EQ(files_.MakeDirectory(directory_ / "tree/readonly", 0555), 0);
  EXPECT_EQ(files_.RemoveTree(directory_ / "tree"), 0);
  EXPECT_FALSE(Exists(directory_ / "tree"));
  EXPECT_TRUE(Exists(directory_ / "outside/kept"));
  EXPECT_EQ(files_.RemoveTree(directory_ / "tree"), 0) << "nothing there is no error";
}

TEST_F(FileSystemTest, MakeDirectoriesMindsWhatIsThere) {
  EXPECT_EQ(files_.MakeDirectories(directory_ / "x/y/z", 0711), 0);
  EXPECT_EQ(ModeOf(directory_ / "x/y/z"), 0711u);
  EXPECT_EQ(files_.MakeDirectories(directory_ / "x/y/z", 0711), 0);
  ASSERT_EQ(files_.WriteNew(directory_ / "file", "", 0600), 0);
  EXPECT_EQ(files_.MakeDirectories(directory_ / "file", 0711), ENOTDIR);
}

// A real limit of the kernel, in a child, since it holds for a whole process.
TEST_F(FileSystemTest, AFileThatCannotBeWrittenWholeIsNotLeftBehind) {
  const std::string path = directory_ / "large";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(FileSystem().WriteNew(path, std::string(5000, 'x'), 0600) == EFBIG ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_FALSE(Exists(path));
}

}  // namespace
}  // namespace aliquot::agent
