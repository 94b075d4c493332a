// SPDX-License-Identifier: Apache-2.0
#include "agent/grant_keeper.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/agent_fakes.h"
#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::seconds;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Shows what it is told to.
class ShownPods final : public PodView {
 public:
  void Show(const std::string& uid, model::PodPhase phase = model::PodPhase::kRunning) {
    auto pod = std::make_shared<NodePod>();
    pod->pod.uid = uid;
    pod->pod.phase = phase;
    pods_.push_back(std::move(pod));
    snapshot_.pods = std::make_shared<const PodsSnapshot::Pods>(pods_);
    snapshot_.synced = true;
  }
  void Sync() { snapshot_.synced = true; }
  PodsSnapshot Snapshot() const override { return snapshot_; }
  void WaitForNews(std::uint64_t, SteadyTime) override {}

 private:
  PodsSnapshot::Pods pods_;
  PodsSnapshot snapshot_;
};

class GrantKeeperTest : public StoreTest {
 protected:
  void SetUp() override { Restart(); }
  // What the next agent makes of the same directory.
  void Restart(const std::string& boot_id = kBootId) {
    live_ = std::make_unique<LiveGrants>();
    store_ = std::make_unique<GrantStore>(Options(false), files(), clock_);
    keeper_ = std::make_unique<GrantKeeper>(*store_, *live_, metrics_, log_);
    const Status recalled = keeper_->Recall(boot_id);
    EXPECT_TRUE(recalled.ok()) << recalled.message();
  }
  // Decided, booked and written, as StartDesk does it.
  void Grant(int first_id, const std::string& uid, const std::string& uuid = "GPU-3") {
    const auto plan = live_->Decide(Ids(first_id, 20), Share(uid, uuid, 20, 1024), facts_());
    ASSERT_TRUE(plan.ok()) << plan.refusal().sentence;
    Written(*plan);
  }
  std::size_t OnDisk() const { return Names(layout_.Grants()).size(); }

  AgentMetrics metrics_;
  MemoryLog log_;
  std::unique_ptr<LiveGrants> live_;
  std::unique_ptr<GrantKeeper> keeper_;
  ShownPods pods_;
};

TEST_F(GrantKeeperTest, WhatAnAgentBeforeGrantedIsRecalledAndCounts) {
  Grant(0, "u1");
  Restart();
  EXPECT_THAT(live_->PodUids(), testing::ElementsAre("u1"));
  EXPECT_TRUE(keeper_->Filled("u1", "main"));
  EXPECT_EQ(keeper_->Find(GrantName(Ids(0, 20)))->uid, "u1");
  EXPECT_FALSE(keeper_->Find("g0"));
}

TEST_F(GrantKeeperTest, GrantsOfAnotherBootAreNotRecalledAndNoted) {
  Grant(0, "u1");
  Restart("99999999-0000-0000-0000-000000000000");
  EXPECT_THAT(live_->PodUids(), IsEmpty());
  EXPECT_EQ(log_.Count("found at start"), 1);
}

TEST_F(GrantKeeperTest, ADamagedRecordIsCounted) {
  Grant(0, "u1");
  Grant(20, "u2");
  WriteAll(layout_.Grant(GrantName(Ids(0, 20))) + "/grant.json", "{");
  Restart();
  EXPECT_THAT(live_->PodUids(), testing::ElementsAre("u2"));
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_damaged_files_total"), "1");
}

TEST_F(GrantKeeperTest, APodThatIsGoneIsEndedExactlyOnce) {
  Grant(0, "u1");
  Grant(20, "u2");
  keeper_->PodFinished("u1");
  keeper_->PodGone("u1");
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_grants_removed_total"), "1");
  EXPECT_EQ(log_.Count("grants removed"), 1);
  EXPECT_THAT(live_->PodUids(), testing::ElementsAre("u2"));
  EXPECT_EQ(OnDisk(), 1u);
}

TEST_F(GrantKeeperTest, APodWithoutGrantsEndsSilently) {
  keeper_->PodGone("stranger");
  EXPECT_EQ(log_.Count("grants removed"), 0);
}

TEST_F(GrantKeeperTest, AFullListEndsWhoeverIsNotInIt) {
  Grant(0, "u1");
  Grant(20, "u2");
  keeper_->PodsListed({"u2", "another"});
  EXPECT_THAT(live_->PodUids(), testing::ElementsAre("u2"));
  EXPECT_EQ(OnDisk(), 1u);
}

// The driver was loaded again and counts its cards anew: what would start without asking us (the
// kubelet skips PreStartContainer between its restart and our registration) must not find the
// grant.
TEST_F(GrantKeeperTest, AGrantForACardsOldNumberIsTakenOutOfPlace) {
  Grant(0, "u1", "GPU-2");
  Grant(20, "u2", "GPU-3");
  Machine machine = *facts_().machine;
  keeper_->CardsSeen(machine);
  EXPECT_EQ(OnDisk(), 2u);
  for (MachineCard& card : machine.cards) {
    card.card.minor += card.card.uuid == "GPU-3" ? 10 : 0;
  }
  keeper_->CardsSeen(machine);
  EXPECT_THAT(Names(layout_.Grants()), testing::ElementsAre(GrantName(Ids(0, 20))));
  EXPECT_THAT(live_->PodUids(), SizeIs(2)) << "its container runs on and holds its share";
  keeper_->CardsSeen(machine);
  EXPECT_EQ(log_.Count("a card has another number than when it was granted"), 1);
}

TEST_F(GrantKeeperTest, NothingIsSweptBeforeThePodsAreKnown) {
  Grant(0, "u1");
  clock_.Advance(seconds(3600));
  EXPECT_FALSE(keeper_->Sweep(pods_));
  EXPECT_EQ(OnDisk(), 1u);
}

TEST_F(GrantKeeperTest, APodThatIsShownKeepsItsGrant) {
  Grant(0, "u1");
  pods_.Show("u1");
  for (int i = 0; i < 10; ++i) {
    clock_.Advance(seconds(60));
    EXPECT_FALSE(keeper_->Sweep(pods_));
  }
  EXPECT_EQ(OnDisk(), 1u);
}

// Its pod was deleted between the look at the pods and the booking: nobody will tell again.
TEST_F(GrantKeeperTest, AGrantBookedWhileItsPodWentIsEndedByTheSweep) {
  pods_.Sync();
  Grant(0, "u1");
  EXPECT_FALSE(keeper_->Sweep(pods_));
  EXPECT_THAT(live_->PodUids(), IsEmpty());
  EXPECT_EQ(OnDisk(), 0u);
}

TEST_F(GrantKeeperTest, AGrantBookedWhileItsPodFinishedIsEndedByTheSweep) {
  pods_.Show("u1", model::PodPhase::kSucceeded);
  Grant(0, "u1");
  keeper_->Sweep(pods_);
  EXPECT_THAT(live_->PodUids(), IsEmpty());
}

TEST_F(GrantKeeperTest, WhatNobodyNamesIsRemovedAfterTheGracePeriodInBoundedSteps) {
  pods_.Sync();
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(FileSystem().MakeDirectory(layout_.Grant("stray" + std::to_string(i)), 0700), 0);
  }
  EXPECT_FALSE(keeper_->Sweep(pods_)) << "not due yet";
  EXPECT_EQ(OnDisk(), 200u);
  clock_.Advance(seconds(60));
  std::size_t before = 200;
  bool more = true;
  while (more) {
    more = keeper_->Sweep(pods_);
    EXPECT_LE(before - OnDisk(), GrantStore::kMostPerSweep);
    before = OnDisk();
  }
  EXPECT_EQ(OnDisk(), 0u);
}

}  // namespace
}  // namespace aliquot::agent
