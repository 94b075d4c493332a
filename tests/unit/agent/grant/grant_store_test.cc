// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_store.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "agent/grant/cdi_spec.h"
#include "quota/limits_record.h"
#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(StoreTest, AGrantHoldsExactlyItsCardAndTheControlNodes) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  EXPECT_EQ(Names(grant + "/dev"),
            (std::vector<std::string>{"nvidia-caps", "nvidia3", "nvidiactl"}));
  EXPECT_EQ(ReadAll(grant + "/dev/nvidia3"), "c 195:3 666 0:0");
  EXPECT_EQ(ReadAll(grant + "/dev/nvidiactl"), "c 195:255 666 0:0");
  EXPECT_EQ(ReadAll(grant + "/dev/nvidia-caps/nvidia-cap1"), "c 237:1 400 0:0");
}

TEST_F(StoreTest, EveryMountSourceIsThereWithItsMode) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  EXPECT_EQ(Names(grant), (std::vector<std::string>{"dev", "driver", "grant.json", "library",
                                                    "limits", "preload"}));
  EXPECT_EQ(ModeOf(grant + "/limits"), 0555u);
  EXPECT_EQ(ModeOf(grant + "/limits/record"), 0444u);
  EXPECT_EQ(ModeOf(grant + "/grant.json"), 0600u);
  EXPECT_EQ(ModeOf(grant + "/preload/ld.so.preload"), 0444u);
  EXPECT_EQ(ReadAll(grant + "/preload/ld.so.preload"), "") << "there is no library";
  EXPECT_EQ(ModeOf(layout_.UsageRegion(Plan(Ids(0, 20), "u-1").record.name)), 0666u);
  const std::string limits = ReadAll(grant + "/limits/record");
  EXPECT_EQ(quota::CheckLimits(limits.data(), limits.size()), quota::LimitsFault::kNone);
  EXPECT_TRUE(Names(layout_.Building()).empty());
}

TEST_F(StoreTest, DriverAndLibraryAreTheOnesThatThePlanNames) {
  Start();
  GrantPlan plan = Plan(Ids(0, 20), "u-1");
  plan.driver.directory = "/var/lib/aliquot/driver/535.104.05";
  plan.library = {"00aa", directory_ / "shelf", "libaliquot.so"};
  plan.record.library = "00aa";
  ASSERT_EQ(plain_.MakeDirectory(directory_ / "shelf", 0755), 0);
  WriteAll(directory_ / "shelf/libaliquot.so", "the library");
  const std::string grant = Written(plan);
  EXPECT_EQ(std::filesystem::read_symlink(grant + "/driver"), "/var/lib/aliquot/driver/535.104.05");
  EXPECT_EQ(ReadAll(grant + "/library/libaliquot.so"), "the library");
  EXPECT_EQ(ReadAll(grant + "/preload/ld.so.preload"), "/usr/local/aliquot/libaliquot.so\n");
  EXPECT_EQ(store_->LibraryVersions(), std::set<std::string>{"00aa"});
}

TEST_F(StoreTest, ARestartReplacesTheGrantAndKeepsTheCounters) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  const std::string grant = Written(plan);
  const std::string region = layout_.UsageRegion(plan.record.name);
  struct stat before {};
  ASSERT_EQ(::stat(region.c_str(), &before), 0);
  WriteAll(grant + "/of-the-old-one", "");
  Written(plan);
  EXPECT_FALSE(Exists(grant + "/of-the-old-one"));
  struct stat after {};
  ASSERT_EQ(::stat(region.c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_TRUE(Names(layout_.Building()).empty());
}

// A runtime makes a directory of each mount source that is missing.
TEST_F(StoreTest, LeftoversOfARuntimeAreReplaced) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  const std::string place = layout_.Grant(plan.record.name);
  ASSERT_EQ(plain_.MakeDirectories(place + "/limits", 0755), 0);
  ASSERT_EQ(plain_.MakeDirectories(place + "/preload/ld.so.preload", 0755), 0);
  ASSERT_EQ(plain_.MakeDirectories(layout_.UsageRegion(plan.record.name), 0755), 0);
  Written(plan);
  EXPECT_TRUE(Exists(place + "/dev/nvidia3"));
  EXPECT_TRUE(std::filesystem::is_regular_file(place + "/preload/ld.so.preload"));
  EXPECT_TRUE(std::filesystem::is_regular_file(layout_.UsageRegion(plan.record.name)));
}

TEST_F(StoreTest, AGrantIsFoundByNameAndContainer) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  ASSERT_TRUE(store_->Find(plan.record.name));
  EXPECT_EQ(store_->Find(plan.record.name)->identity.uid, "u-1");
  EXPECT_TRUE(store_->Filled("u-1", "main"));
  EXPECT_FALSE(store_->Filled("u-1", "other"));
  EXPECT_FALSE(store_->Find("gffffffffffffffffffffffffffffffff"));
}

TEST_F(StoreTest, RetiringTakesTheDeviceDirectoryAway) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  const std::string grant = Written(plan);
  const auto retired = store_->Retire(plan.record.name);
  ASSERT_TRUE(retired.ok());
  EXPECT_TRUE(*retired);
  EXPECT_FALSE(Exists(grant));
  EXPECT_FALSE(store_->Find(plan.record.name));
  EXPECT_FALSE(*store_->Retire(plan.record.name)) << "there is none the second time";
}

// What a retired grant's container may have mounted is still named.
TEST_F(StoreTest, ARetiredGrantKeepsItsDriver) {
  Start();
  GrantPlan plan = Plan(Ids(0, 20), "u-1");
  plan.record.driver = "/var/lib/aliquot/driver/535.104.05";
  Written(plan);
  ASSERT_TRUE(store_->Retire(plan.record.name).ok());
  EXPECT_EQ(store_->DriverDirectories(),
            std::set<std::string>{"/var/lib/aliquot/driver/535.104.05"});
  store_->Remove("u-1");
  EXPECT_TRUE(store_->DriverDirectories().empty());
}

// Should the container run after all, what it has mounted stays until its pod is gone.
TEST_F(StoreTest, ARetiredGrantIsKeptUntilItsPodIsGone) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  ASSERT_TRUE(store_->Retire(plan.record.name).ok());
  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(store_->Sweep({"u-1"}).removed, 0u);
  ASSERT_EQ(Names(layout_.Retired()).size(), 1u);
  store_->Remove("u-1");
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

TEST_F(StoreTest, APodThatIsGoneIsRemovedExactlyOnce) {
  Start();
  const std::string one = Written(Plan(Ids(0, 20), "u-1"));
  const std::string two = Written(Plan(Ids(20, 20), "u-2"));
  EXPECT_EQ(store_->Remove("u-1"), 1u);
  EXPECT_EQ(store_->Remove("u-1"), 0u);
  EXPECT_FALSE(Exists(one));
  EXPECT_FALSE(Exists(layout_.UsageDirectory(GrantName(Ids(0, 20)))));
  EXPECT_TRUE(Exists(two + "/dev/nvidia3"));
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

// The IDs have gone to another pod in the meantime: its grant is not the old pod's to remove.
TEST_F(StoreTest, AnOldPodsEndDoesNotTakeItsSuccessorsGrant) {
  Start();
  Written(Plan(Ids(0, 20), "u-1"));
  const std::string grant = Written(Plan(Ids(0, 20), "u-2"));
  EXPECT_EQ(store_->Remove("u-1"), 0u);
  EXPECT_TRUE(Exists(grant + "/dev/nvidia3"));
}

TEST_F(StoreTest, TheInitContainersGrantGoesWhenTheNextOneStarts) {
  Start();
  GrantPlan init = Plan(Ids(0, 20), "u-1");
  init.record.identity.container = "prep";
  init.record.identity.kind = model::ContainerKind::kInit;
  const std::string grant = Written(init);
  const std::string main = Written(Plan(Ids(20, 20), "u-1"));
  EXPECT_FALSE(Exists(grant));
  EXPECT_TRUE(Exists(main));
  EXPECT_EQ(store_->Remove("u-1"), 1u);
}

TEST_F(StoreTest, ASpecificationIsWrittenBesideTheDirectoryAndGoesWithIt) {
  Start(/*cdi=*/true);
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  const std::string file = CdiSpecFile(plan.record.name);
  EXPECT_EQ(Names(directory_ / "cdi"), std::vector<std::string>{file});
  EXPECT_EQ(ModeOf(directory_ / ("cdi/" + file)), 0644u);
  Written(plan);
  EXPECT_EQ(Names(directory_ / "cdi"), std::vector<std::string>{file});
  ASSERT_TRUE(store_->Retire(plan.record.name).ok());
  EXPECT_TRUE(Names(directory_ / "cdi").empty());
}

TEST_F(StoreTest, ManyStartsAtOnceEachGetTheirOwn) {
  Start(/*cdi=*/true);
  std::vector<GrantPlan> plans;
  for (int i = 0; i < 30; ++i) {
    plans.push_back(
        Plan(Ids(10 * i, 10), "u-" + std::to_string(i), "GPU-" + std::to_string(i % 4)));
  }
  std::vector<std::thread> threads;
  std::atomic<int> written{0};
  for (const GrantPlan& plan : plans) {
    threads.emplace_back([&] { written += store_->Write(plan) ? 0 : 1; });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(written, 30);
  for (int i = 0; i < 30; ++i) {
    EXPECT_TRUE(Exists(layout_.Devices(plans[i].record.name) + "/nvidia" + std::to_string(i % 4)));
  }
  EXPECT_EQ(Names(directory_ / "cdi").size(), 30u);
  EXPECT_TRUE(Names(layout_.Building()).empty());
}

// With real nodes, where the rights allow it; else with the refusal that says which right is
// missing.
TEST(GrantStoreWithRealNodes, ACardsNodeIsTheHosts) {
  const TemporaryDirectory directory;
  const FileSystem files;
  const FakeClock clock;
  StoreOptions options;
  options.edits.state_directory = directory / "state";
  GrantStore store(options, files, clock);
  ASSERT_TRUE(store.Recover(kBootId).ok());
  FactsOf facts;
  facts.machine.cards[3].node.mode = 0660;
  const auto plan = DecideGrant(Ids(0, 20), Share("u-1", "GPU-3", 20, 1024), facts());
  ASSERT_TRUE(plan.ok());
  const auto refusal = store.Write(*plan);
  const std::string node =
      StateLayout(options.edits.state_directory).Devices(plan->record.name) + "/nvidia3";
  if (refusal) {
    EXPECT_EQ(
        refusal->sentence,
        "container main of pod ml/u-1 cannot be given its cards: " + options.edits.state_directory +
            " is not written: making device node nvidia3: Operation not permitted; give the "
            "agent CAP_MKNOD and CAP_CHOWN, and a file system that allows device nodes");
    EXPECT_FALSE(Exists(node));
    return;
  }
  struct stat status {};
  ASSERT_EQ(::lstat(node.c_str(), &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
  EXPECT_EQ(status.st_rdev, makedev(195, 3));
  EXPECT_EQ(status.st_mode & 07777, 0660u);
}

}  // namespace
}  // namespace aliquot::agent
