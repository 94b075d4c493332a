// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A state directory and a host's root with a loaded driver.
class HealthStoreTest : public ::testing::Test {
 protected:
  HealthStoreTest() {
    std::filesystem::create_directories(scratch_.File("root/proc/sys/kernel/random"));
    std::filesystem::create_directories(scratch_.File("root/sys/module/nvidia"));
    std::filesystem::create_directories(scratch_.File("state"));
    scratch_.Write("root/proc/sys/kernel/random/boot_id", "boot-1\n");
  }

  HealthStore Make() const { return HealthStore(Path(), scratch_.File("root")); }
  std::string Path() const { return scratch_.File("state/health.json"); }
  // A book with one card that threw this XID.
  static HealthBook BookWith(std::uint64_t xid) {
    HealthBook book;
    book.Apply(ThreeCards().machine, SteadyTime());
    book.Apply({GpuEvent{GpuEvent::Kind::kXid, "GPU-b", xid}}, SteadyTime());
    return book;
  }
  std::string WordAfterRestart() const {
    HealthBook book;
    HealthStore store = Make();
    EXPECT_TRUE(store.Load(SteadyTime(), book).ok());
    return book.WordOf("GPU-b");
  }

  ScratchDirectory scratch_;
};

TEST_F(HealthStoreTest, ARestartedAgentKnowsWhatWaitsForAReset) {
  ASSERT_TRUE(Make().Save(BookWith(79)).ok());
  EXPECT_EQ(WordAfterRestart(), "xid-79");
}

TEST_F(HealthStoreTest, AnotherBootHasResetTheCards) {
  ASSERT_TRUE(Make().Save(BookWith(79)).ok());
  scratch_.Write("root/proc/sys/kernel/random/boot_id", "boot-2\n");
  EXPECT_EQ(WordAfterRestart(), "ok");
}

TEST_F(HealthStoreTest, NothingIsWrittenWhenNothingChanges) {
  HealthStore store = Make();
  HealthBook fresh;
  ASSERT_TRUE(store.Load(SteadyTime(), fresh).ok());
  ASSERT_TRUE(store.Save(fresh).ok());
  EXPECT_FALSE(std::filesystem::exists(Path()));
  ASSERT_TRUE(store.Save(BookWith(79)).ok());
  std::filesystem::remove(Path());
  ASSERT_TRUE(store.Save(BookWith(79)).ok());
  EXPECT_FALSE(std::filesystem::exists(Path()));  // still as it was last written
  ASSERT_TRUE(store.Save(BookWith(94)).ok());     // passes by itself: none waits any more
  EXPECT_EQ(WordAfterRestart(), "ok");
}

TEST_F(HealthStoreTest, TheFileIsItsOwnersOnly) {
  ASSERT_TRUE(Make().Save(BookWith(79)).ok());
  struct stat status {};
  ASSERT_EQ(stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(HealthStoreTest, ADamagedFileIsSaidAndReplacedByTheNextSave) {
  scratch_.Write("state/health.json", "{\"v\":1,");
  HealthStore store = Make();
  HealthBook book;
  EXPECT_EQ(store.Load(SteadyTime(), book).message(),
            Path() +
                ": the health record is not of version 1 as this agent writes it; cards that "
                "waited for a reset are not known, remove the file");
  EXPECT_THAT(book.Cards(), IsEmpty());
  ASSERT_TRUE(store.Save(book).ok());
  EXPECT_EQ(WordAfterRestart(), "ok");
}

TEST_F(HealthStoreTest, ALinkIsNotFollowed) {
  scratch_.Write("elsewhere", "{\"v\":1,\"incarnation\":\"x\",\"needReset\":[]}");
  std::filesystem::create_symlink(scratch_.File("elsewhere"), Path());
  HealthStore store = Make();
  HealthBook book;
  EXPECT_THAT(store.Load(SteadyTime(), book).message(), HasSubstr("cannot be read"));
}

TEST_F(HealthStoreTest, AFailedWriteIsSaidAndTriedAgain) {
  std::filesystem::remove(scratch_.File("state"));
  HealthStore store = Make();
  EXPECT_THAT(store.Save(BookWith(79)).message(), HasSubstr("health.json.new cannot be written"));
  std::filesystem::create_directory(scratch_.File("state"));
  ASSERT_TRUE(store.Save(BookWith(79)).ok());
  EXPECT_EQ(WordAfterRestart(), "xid-79");
}

}  // namespace
}  // namespace aliquot::agent
