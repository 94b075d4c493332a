// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/directory_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <fstream>

#include "tests/unit/agent/plugin/plugin_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

bool EventsWait(const DirectoryWatch& watch) {
  pollfd descriptor{watch.descriptor(), POLLIN, 0};
  return ::poll(&descriptor, 1, 0) == 1;
}

TEST(DirectoryWatchTest, CreationRemovalAndRenameAreNoticed) {
  const TemporaryDirectory directory;
  Result<DirectoryWatch> watch = DirectoryWatch::Open(directory.path());
  ASSERT_TRUE(watch.ok());
  EXPECT_FALSE(EventsWait(*watch));
  std::ofstream(directory / "a").put('x');
  EXPECT_TRUE(EventsWait(*watch));
  watch->Drain();
  EXPECT_FALSE(EventsWait(*watch));
  std::filesystem::rename(directory / "a", directory / "b");
  EXPECT_TRUE(EventsWait(*watch));
  watch->Drain();
  std::filesystem::remove(directory / "b");
  EXPECT_TRUE(EventsWait(*watch));
  EXPECT_TRUE(watch->Current());
}

TEST(DirectoryWatchTest, ManyEventsAreDrainedAtOnce) {
  const TemporaryDirectory directory;
  Result<DirectoryWatch> watch = DirectoryWatch::Open(directory.path());
  ASSERT_TRUE(watch.ok());
  // More than one read's buffer of 4 KiB: 500 events of at least 16 bytes.
  for (int i = 0; i < 500; ++i) std::ofstream(directory / ("file" + std::to_string(i))).put('x');
  watch->Drain();
  EXPECT_FALSE(EventsWait(*watch));
}

TEST(DirectoryWatchTest, AfterAnOverflowChangesAreNoticedAgain) {
  std::ifstream limit_file("/proc/sys/fs/inotify/max_queued_events");
  int limit = 0;
  ASSERT_TRUE(limit_file >> limit);
  const TemporaryDirectory directory("/dev/shm");  // a disk would take its time
  Result<DirectoryWatch> watch = DirectoryWatch::Open(directory.path());
  ASSERT_TRUE(watch.ok());
  // Each round is two events, creation and removal.
  for (int i = 0; i <= limit / 2 + 10; ++i) {
    std::filesystem::create_directory(directory / "a");
    std::filesystem::remove(directory / "a");
  }
  watch->Drain();
  EXPECT_TRUE(watch->Current());
  EXPECT_FALSE(EventsWait(*watch));
  std::filesystem::create_directory(directory / "b");
  EXPECT_TRUE(EventsWait(*watch));
}

TEST(DirectoryWatchTest, AReplacedDirectoryIsNotTheWatchedOne) {
  const TemporaryDirectory parent;
  const std::string path = parent / "plugins";
  std::filesystem::create_directory(path);
  Result<DirectoryWatch> watch = DirectoryWatch::Open(path);
  ASSERT_TRUE(watch.ok());
  std::filesystem::remove(path);
  EXPECT_TRUE(EventsWait(*watch));
  std::filesystem::create_directory(path);  // may get the old one's inode
  watch->Drain();
  EXPECT_FALSE(watch->Current());
}

TEST(DirectoryWatchTest, AMissingDirectoryIsOneSentence) {
  const Result<DirectoryWatch> watch = DirectoryWatch::Open("/tmp/aliquot-is-not-there");
  ASSERT_FALSE(watch.ok());
  EXPECT_THAT(watch.status().message(), HasSubstr("no watch of /tmp/aliquot-is-not-there"));
}

}  // namespace
}  // namespace aliquot::agent
