// SPDX-License-Identifier: Apache-2.0
// A start of the agent over what lies on disk, and the sweeps.
#include <sys/stat.h>

#include "agent/grant/cdi_spec.h"
#include "agent/grant/grant_builder.h"
#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::seconds;

TEST_F(StoreTest, ARestartFindsEveryGrantAgain) {
  Start();
  Written(Plan(Ids(0, 20), "u-1"));
  Written(Plan(Ids(20, 20), "u-2"));
  const Recovered again = Start();
  ASSERT_EQ(again.grants.size(), 2u);
  EXPECT_TRUE(again.notes.empty());
  EXPECT_EQ(store_->Find(GrantName(Ids(20, 20)))->identity.uid, "u-2");
  EXPECT_TRUE(Exists(layout_.Devices(GrantName(Ids(0, 20))) + "/nvidia3"))
      << "what runs is not disturbed";
}

TEST_F(StoreTest, AfterARebootNoGrantOfBeforeIsFoundByAStart) {
  Start(/*cdi=*/true);
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  const Recovered again = Start(/*cdi=*/true, "another-boot");
  EXPECT_TRUE(again.grants.empty());
  EXPECT_FALSE(Exists(grant));
  EXPECT_TRUE(Names(directory_ / "cdi").empty());
  ASSERT_EQ(again.notes.size(), 1u);
  EXPECT_EQ(again.notes[0], layout_.Grants() +
                                " held 1 grants of an earlier boot, which were taken away; mount " +
                                layout_.root() + " as tmpfs, so that a reboot empties it");
  EXPECT_EQ(Start(/*cdi=*/true, "another-boot").notes.size(), 0u) << "once";
}

// Without the file nobody can say of which boot the grants are.
TEST_F(StoreTest, GrantsWithoutABootIdAreTakenAway) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  ASSERT_EQ(plain_.RemoveFile(layout_.BootId()), 0);
  EXPECT_TRUE(Start().grants.empty());
  EXPECT_FALSE(Exists(grant));
}

TEST_F(StoreTest, AnEmptyBootIdIsNoBootId) {
  GrantStore store(Options(false), plain_, clock_);
  EXPECT_EQ(store.Recover("\n").status().message(),
            "the boot ID is empty, so grants of an earlier boot cannot be told; see that the agent "
            "can read /proc/sys/kernel/random/boot_id");
}

TEST_F(StoreTest, AGrantOfWhichTheRecordIsDamagedIsSetAsideAndReported) {
  Start(/*cdi=*/true);
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  WriteAll(grant + "/grant.json", "{\"v\":1");
  const Recovered again = Start(/*cdi=*/true);
  EXPECT_TRUE(again.grants.empty());
  ASSERT_EQ(again.notes.size(), 1u);
  EXPECT_EQ(again.notes[0], grant + "/grant.json is not JSON; it was set aside in " +
                                layout_.Damaged() +
                                ", and its container gets a new grant at its next start");
  EXPECT_FALSE(Exists(grant));
  EXPECT_EQ(Names(layout_.Damaged()).size(), 1u);
  EXPECT_TRUE(Names(directory_ / "cdi").empty());
}

TEST_F(StoreTest, ARecordThatIsALinkIsNotFollowed) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  ASSERT_EQ(plain_.Rename(grant + "/grant.json", directory_ / "elsewhere"), 0);
  ASSERT_EQ(plain_.MakeLink(directory_ / "elsewhere", grant + "/grant.json"), 0);
  EXPECT_TRUE(Start().grants.empty());
  EXPECT_EQ(Names(layout_.Damaged()).size(), 1u);
}

// A whole record, but under the name of another grant.
TEST_F(StoreTest, ARecordInAnotherGrantsPlaceIsSetAside) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  ASSERT_EQ(plain_.Rename(grant, layout_.Grant(GrantName(Ids(20, 20)))), 0);
  const Recovered again = Start();
  EXPECT_TRUE(again.grants.empty());
  ASSERT_EQ(again.notes.size(), 1u);
  EXPECT_NE(again.notes[0].find("is the record of another grant"), std::string::npos);
}

TEST_F(StoreTest, NotMoreThanSixteenDamagedGrantsAreKept) {
  Start();
  for (int i = 0; i < 20; ++i) {
    const std::string grant = Written(Plan(Ids(5 * i, 5), "u-" + std::to_string(i)));
    WriteAll(grant + "/grant.json", "damaged");
  }
  EXPECT_EQ(Start().notes.size(), 20u);
  EXPECT_EQ(Names(layout_.Damaged()).size(), 16u);
  EXPECT_TRUE(Names(layout_.Grants()).empty());
}

TEST_F(StoreTest, WhatWasNotFinishedIsRemoved) {
  Start(/*cdi=*/true);
  ASSERT_EQ(plain_.MakeDirectories(layout_.Building() + "/g1.x/dev", 0755), 0);
  WriteAll(directory_ / ("cdi/." + GrantName({"c0"}) + ".1-2.3"), "half");
  WriteAll(directory_ / "cdi/nvidia.yaml", "of somebody else");
  Start(/*cdi=*/true);
  EXPECT_TRUE(Names(layout_.Building()).empty());
  EXPECT_EQ(Names(directory_ / "cdi"), std::vector<std::string>{"nvidia.yaml"});
  clock_.Advance(seconds(61));
  store_->Sweep({});
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

TEST_F(StoreTest, AnOrphanIsRemovedAfterTheGracePeriod) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  const std::string live = Written(Plan(Ids(20, 20), "u-2"));
  EXPECT_EQ(store_->Sweep({"u-2"}).removed, 0u);
  clock_.Advance(seconds(59));
  EXPECT_EQ(store_->Sweep({"u-2"}).removed, 0u);
  EXPECT_TRUE(Exists(grant));
  clock_.Advance(seconds(1));
  const SweepResult result = store_->Sweep({"u-2"});
  EXPECT_EQ(result.removed, 1u);
  EXPECT_EQ(result.pod_uids, std::vector<std::string>{"u-1"});
  EXPECT_FALSE(Exists(grant));
  EXPECT_TRUE(Exists(live));
}

TEST_F(StoreTest, AnOrphanThatIsNamedAgainIsNoneAndItsTimeBeginsAnew) {
  Start();
  const std::string grant = Written(Plan(Ids(0, 20), "u-1"));
  store_->Sweep({});
  clock_.Advance(seconds(59));
  store_->Sweep({"u-1"});
  clock_.Advance(seconds(59));
  store_->Sweep({});
  EXPECT_TRUE(Exists(grant));
}

// Written after it was first seen as an orphan: a new start is no orphan's end.
TEST_F(StoreTest, AGrantThatIsWrittenAnewHasItsTimeAnew) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  store_->Sweep({});
  clock_.Advance(seconds(59));
  const std::string grant = Written(plan);
  clock_.Advance(seconds(1));
  store_->Sweep({});
  EXPECT_TRUE(Exists(grant));
}

// The kubelet gave the IDs of a running container to another pod, and then the agent was restarted.
TEST_F(StoreTest, ARetiredGrantOfALivePodKeepsItsLimitsOverARestart) {
  Start();
  GrantPlan plan = Plan(Ids(0, 20), "u-1");
  plan.record.driver = "/data/driver/535.104.05";
  Written(plan);
  ASSERT_TRUE(*store_->Retire(plan.record.name));
  Start();
  EXPECT_EQ(store_->DriverDirectories(), std::set<std::string>{"/data/driver/535.104.05"});
  clock_.Advance(seconds(61));
  store_->Sweep({"u-1"});
  ASSERT_EQ(Names(layout_.Retired()).size(), 1u);
  EXPECT_TRUE(
      Exists(layout_.Retired() + "/" + Names(layout_.Retired())[0] + "/limits/" + kLimitsFile));
  store_->Sweep({});
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

TEST_F(StoreTest, AStateDirectoryThatSomebodyEmptiedIsMadeAgainByTheNextStart) {
  Start();
  Written(Plan(Ids(0, 20), "u-1"));
  for (const std::string& name : Names(layout_.root())) {
    ASSERT_EQ(plain_.RemoveTree(layout_.root() + "/" + name), 0);
  }
  const std::string grant = Written(Plan(Ids(20, 20), "u-2"));
  EXPECT_TRUE(Exists(grant + "/dev/nvidia3"));
  EXPECT_EQ(Start().grants.size(), 1u) << "the boot is known again";
}

TEST_F(StoreTest, AGrantOfAnEarlierBootIsNotKeptForItsPod) {
  Start();
  Written(Plan(Ids(0, 20), "u-1"));
  Start(false, "another-boot");
  clock_.Advance(seconds(61));
  store_->Sweep({"u-1"});
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

TEST_F(StoreTest, AUsageFileThatItsContainerMadeLargerIsCutBackAndTold) {
  Start();
  const GrantPlan plan = Plan(Ids(0, 20), "u-1");
  Written(plan);
  Written(Plan(Ids(20, 20), "u-2"));
  EXPECT_TRUE(store_->Sweep({"u-1", "u-2"}).grown.empty());
  const std::string region = layout_.UsageRegion(plan.record.name);
  const std::string before = ReadAll(region);
  WriteAll(region, before + std::string(std::size_t{1} << 20, 'x'));
  const SweepResult swept = store_->Sweep({"u-1", "u-2"});
  ASSERT_EQ(swept.grown.size(), 1u);
  EXPECT_EQ(swept.grown[0].pod, "ml/u-1");
  EXPECT_EQ(swept.grown[0].error, 0);
  EXPECT_TRUE(ReadAll(region) == before) << "what belongs there is left";
}

TEST_F(StoreTest, WhatARuntimeLeftIsSweptToo) {
  Start();
  const std::string stray = layout_.Grant(GrantName({"c7"}));
  ASSERT_EQ(plain_.MakeDirectories(stray + "/limits", 0755), 0);
  ASSERT_EQ(plain_.MakeDirectories(layout_.UsageRegion(GrantName({"c7"})), 0755), 0);
  store_->Sweep({});
  EXPECT_TRUE(Exists(stray));
  clock_.Advance(seconds(60));
  EXPECT_EQ(store_->Sweep({}).removed, 2u);
  EXPECT_FALSE(Exists(stray));
  EXPECT_TRUE(Names(layout_.Usage()).empty());
}

// 200 strays, 64 a sweep: 64, 64, 64, 8.
TEST_F(StoreTest, ManyStraysAreRemovedInSteps) {
  Start();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(plain_.MakeDirectory(layout_.Grants() + "/stray" + std::to_string(i), 0755), 0);
  }
  store_->Sweep({});
  clock_.Advance(seconds(60));
  for (const std::size_t removed : {64u, 64u, 64u}) {
    const SweepResult result = store_->Sweep({});
    EXPECT_EQ(result.removed, removed);
    EXPECT_TRUE(result.more);
  }
  const SweepResult last = store_->Sweep({});
  EXPECT_EQ(last.removed, 8u);
  EXPECT_FALSE(last.more);
}

TEST_F(StoreTest, TenThousandStaleGrantsOfAnotherBootAreGoneFromTheirPlaceAtOnceAndRemovedInSteps) {
  Start();
  for (int i = 0; i < 10000; ++i) {
    ASSERT_EQ(
        plain_.MakeDirectories(layout_.Grants() + "/stale" + std::to_string(i) + "/dev", 0755), 0);
  }
  Start(false, "another-boot");
  EXPECT_TRUE(Names(layout_.Grants()).empty());
  clock_.Advance(seconds(60));
  int sweeps = 1;
  for (; store_->Sweep({}).more; ++sweeps) {
    ASSERT_LT(sweeps, 1000);
  }
  EXPECT_EQ(sweeps, 157);  // 10000 / 64 = 156.25
  EXPECT_TRUE(Names(layout_.Retired()).empty());
}

}  // namespace
}  // namespace aliquot::agent
