// SPDX-License-Identifier: Apache-2.0
#include "agent/start_desk.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/agent_fakes.h"
#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NoPodResources final : public PodResources {
 public:
  Result<PodResourcesPod> Get(const model::PodKey&, SteadyTime) override {
    return Unavailable("none");
  }
  Result<std::vector<PodResourcesPod>> List(SteadyTime) override { return Unavailable("none"); }
};

class OneCheckpoint final : public CheckpointSource {
 public:
  Result<std::shared_ptr<const Checkpoint>> Read() override {
    return std::make_shared<const Checkpoint>(content);
  }
  Checkpoint content;
};

class OneSnapshot final : public PodView {
 public:
  PodsSnapshot Snapshot() const override { return snapshot; }
  void WaitForNews(std::uint64_t, SteadyTime deadline) override {
    if (deadline > clock_.SteadyNow()) {
      clock_.Advance(deadline - clock_.SteadyNow());
    }
  }
  explicit OneSnapshot(FakeClock& clock) : clock_(clock) { snapshot.synced = true; }
  PodsSnapshot snapshot;

 private:
  FakeClock& clock_;
};

class NoGrants final : public RecalledGrants {
 public:
  std::optional<ContainerIdentity> Find(std::string_view) const override { return std::nullopt; }
  bool Filled(std::string_view, std::string_view) const override { return false; }
};

class StartDeskTest : public StoreTest {
 protected:
  void SetUp() override {
    Start();
    StartDesk::Parts parts{resolver_, live_, *store_, poster_, metrics_, log_, clock_};
    desk_ = std::make_unique<StartDesk>(
        "n1", Options(false).edits, parts,
        [this] {
          DeskFacts facts;
          facts.machine = std::make_shared<const Machine>(facts_.machine);
          facts.standing = facts_.standing;
          return facts;
        },
        nullptr);
  }
  // Pod ml/<uid> with 20 % and 1024 MiB of GPU-3, whose container "main" holds these IDs.
  void Show(const std::string& uid, std::vector<std::string> ids, bool with_record = true) {
    const ContainerIdentity identity = Share(uid, "GPU-3", 20, 1024);
    auto pod = std::make_shared<NodePod>();
    pod->pod.key = identity.key;
    pod->pod.uid = uid;
    pod->pod.node_name = "n1";
    pod->pod.gpu_containers = {
        {"main",
         model::ContainerKind::kApp,
         0,
         {{"tencent.com/vcuda-core", "20"}, {"tencent.com/vcuda-memory", "4"}}}};
    if (with_record) {
      pod->pod.annotations["aliquot.io/allocation"] = identity.allocation;
    }
    pod->acknowledged = true;
    auto pods = std::make_shared<PodsSnapshot::Pods>(*pods_.snapshot.pods);
    pods->push_back(std::move(pod));
    pods_.snapshot.pods = std::move(pods);
    std::sort(ids.begin(), ids.end());
    checkpoint_.content.entries.push_back({uid, "main", std::move(ids)});
  }
  std::vector<model::PodEvent> Events() {
    queue_.RunDue();
    return writer_.events;
  }

  AgentMetrics metrics_;
  MemoryLog log_;
  FakeWriter writer_;
  program::WorkQueue queue_{clock_, program::WorkQueueOptions()};
  EventPoster poster_{queue_, writer_, metrics_, log_, clock_};
  LiveGrants live_;
  OneCheckpoint checkpoint_;
  OneSnapshot pods_{clock_};
  NoPodResources pod_resources_;
  NoGrants no_grants_;
  Resolver resolver_{{"n1", {}}, checkpoint_, pods_, pod_resources_, no_grants_, clock_};
  std::unique_ptr<StartDesk> desk_;
};

TEST_F(StartDeskTest, AllocateIsAFunctionOfTheIdsAndGivesNothing) {
  const auto one = desk_->Allocate({"c1", "c2"});
  const auto two = desk_->Allocate({"c2", "c1"});
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_THAT(one->devices, SizeIs(1));
  EXPECT_EQ(one->devices[0].host_path, layout_.Devices(GrantName({"c1", "c2"})));
  EXPECT_EQ(one->devices[0].host_path, two->devices[0].host_path);
  EXPECT_EQ(one->devices[0].container_path, "/dev");
  EXPECT_EQ(one->environment.at("NVIDIA_VISIBLE_DEVICES"), "void");
  EXPECT_THAT(Names(layout_.Grants()), IsEmpty());
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_allocations_total{outcome=\"ok\"}"), "2");
}

TEST_F(StartDeskTest, AllocateRetiresALeftoverOfTheSameIds) {
  Show("u1", Ids(0, 20));
  ASSERT_TRUE(desk_->PreStart(Ids(0, 20)).ok());
  ASSERT_THAT(Names(layout_.Grants()), SizeIs(1));
  ASSERT_TRUE(desk_->Allocate(Ids(0, 20)).ok());
  EXPECT_THAT(Names(layout_.Grants()), IsEmpty()) << "it was of a container that has ended";
}

TEST_F(StartDeskTest, AStartIsGrantedBookedWrittenAndCounted) {
  Show("u1", Ids(0, 20));
  const Status started = desk_->PreStart(Ids(0, 20));
  ASSERT_TRUE(started.ok()) << started.message();
  EXPECT_THAT(live_.PodUids(), testing::ElementsAre("u1"));
  EXPECT_TRUE(Exists(layout_.Devices(GrantName(Ids(0, 20))) + "/nvidia3"));
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_grants_total"), "1");
  EXPECT_EQ(log_.Count("granted"), 1);
  EXPECT_THAT(Events(), IsEmpty()) << "no write for a pod that starts";
}

TEST_F(StartDeskTest, ARefusalIsAStatusAnEventAMetricAndALogLine) {
  Show("u1", Ids(0, 20), false);
  const Status refused = desk_->PreStart(Ids(0, 20));
  EXPECT_EQ(refused.code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("no_allocation: container main"));
  ASSERT_THAT(Events(), SizeIs(1));
  EXPECT_EQ(Events()[0].key.ToString(), "ml/u1");
  EXPECT_EQ(Events()[0].reason, "GpuGrantRefused");
  EXPECT_TRUE(Events()[0].warning);
  EXPECT_EQ(Events()[0].note, "container main: " + std::string(refused.message()));
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_refusals_total{reason=\"no_allocation\"}"), "1");
  EXPECT_EQ(log_.Count("start refused"), 1);
  EXPECT_THAT(Names(layout_.Grants()), IsEmpty());
}

TEST_F(StartDeskTest, WhoIsNotKnownGetsNoEvent) {
  EXPECT_THAT(std::string(desk_->PreStart({"c5"}).message()), HasSubstr("wrong_pod: "));
  EXPECT_THAT(Events(), IsEmpty());
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_refusals_total{reason=\"wrong_pod\"}"), "1");
}

TEST_F(StartDeskTest, EachPodThatTheKubeletGaveTheSameIdsIsTold) {
  Show("u1", Ids(0, 20));
  Show("u2", Ids(0, 20));
  const std::string refused(desk_->PreStart(Ids(0, 20)).message());
  EXPECT_THAT(refused, HasSubstr("ids_in_use: "));
  ASSERT_THAT(Events(), SizeIs(2));
  EXPECT_EQ(Events()[0].key.ToString(), "ml/u1");
  EXPECT_EQ(Events()[1].key.ToString(), "ml/u2");
  EXPECT_EQ(Events()[1].note, refused);
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_refusals_total{reason=\"ids_in_use\"}"), "1");
}

TEST_F(StartDeskTest, AGrantThatCannotBeWrittenLeavesTheBook) {
  Show("u1", Ids(0, 20));
  FileSystem().RemoveTree(layout_.root());
  WriteAll(layout_.root(), "a file in the way");
  EXPECT_THAT(std::string(desk_->PreStart(Ids(0, 20)).message()), HasSubstr("storage: "));
  EXPECT_THAT(live_.PodUids(), IsEmpty());
  EXPECT_THAT(Events(), SizeIs(1));
}

TEST_F(StartDeskTest, TheSecondOfTwoThatDoNotFitIsRefused) {
  for (int i = 0; i < 6; ++i) {
    Show("u" + std::to_string(i), Ids(20 * i, 20));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(desk_->PreStart(Ids(20 * i, 20)).ok()) << i;
  }
  EXPECT_THAT(std::string(desk_->PreStart(Ids(100, 20)).message()), HasSubstr("card_busy: "));
}

}  // namespace
}  // namespace aliquot::agent
