// SPDX-License-Identifier: Apache-2.0
// The life of pods on a node: each container gets exactly the cards that its record names.
#include <algorithm>
#include <random>
#include <thread>

#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::set<std::string>;

class AgentLife : public AgentTest {};

TEST_F(AgentLife, AShareIsGivenItsCardAloneAndTakenBackOnceThePodIsGone) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(2));
  Admit(pod);
  EXPECT_THAT(GrantsOf(pod.uid), IsEmpty()) << "Allocate gives nothing";
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({2}));
  EXPECT_THAT(GrantsOf(pod.uid), testing::SizeIs(1));
  Remove(pod);
  EXPECT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
  EXPECT_THAT(GrantsOf(pod.uid), IsEmpty());
  EXPECT_THAT(NamesIn(State("/usage")), IsEmpty());
  EXPECT_THAT(NamesIn(configuration_.grant.cdi_directory), IsEmpty());
  EXPECT_TRUE(Eventually([&] { return Metric("aliquot_agent_grants_removed_total") == "1"; }));
}

TEST_F(AgentLife, AWholeCardAndSeveralWholeCardsAreGivenAsTheyAreNamed) {
  StartReady();
  const TestPod one{"one", "uid-one", {Whole("work", {Uuid(3)})}};
  const TestPod two{"two", "uid-two", {Whole("work", {Uuid(2), Uuid(0)})}};
  Admit(one);
  Admit(two);
  EXPECT_EQ(StartsWithin(two, "work"), Nodes({0, 2}));
  EXPECT_EQ(StartsWithin(one, "work"), Nodes({3}));
}

TEST_F(AgentLife, AShareOfSeveralCardsIsGivenAllOfThem) {
  StartReady();
  TestContainer split = Share("work", Uuid(1), 20, 2560);
  split.core = 40;
  split.memory_units = 20;
  split.cards.push_back({Uuid(3), 20, 2560});
  const TestPod pod{"split", "uid-split", {split}};
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1, 3}));
}

TEST_F(AgentLife, TwoContainersOfAPodGetEachTheirOwn) {
  StartReady();
  const TestPod pod{"p", "uid-p", {Share("left", Uuid(0)), Share("right", Uuid(1))}};
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "right"), Nodes({1}));
  EXPECT_EQ(StartsWithin(pod, "left"), Nodes({0}));
  EXPECT_THAT(GrantsOf(pod.uid), testing::SizeIs(2));
}

TEST_F(AgentLife, AnInitContainerAndTheAppContainerWithItsIdsGetEachTheirOwn) {
  StartReady();
  TestContainer init = Share("init", Uuid(0));
  init.kind = model::ContainerKind::kInit;
  const TestPod pod{"p", "uid-p", {init, Share("work", Uuid(1))}};
  Admit(pod);
  const std::string core = configuration_.resource_names.core;
  ASSERT_EQ(kubelet_->DeviceIds(pod.uid, "init", core), kubelet_->DeviceIds(pod.uid, "work", core))
      << "the kubelet hands the IDs on";
  EXPECT_EQ(StartsWithin(pod, "init"), Nodes({0}));
  Json shown = Stored("p");
  shown["status"]["initContainerStatuses"] = {{{"name", "init"},
                                               {"containerID", "containerd://1"},
                                               {"state",
                                                {{"terminated",
                                                  {{"exitCode", 0},
                                                   {"startedAt", "2026-11-29T10:00:01Z"},
                                                   {"finishedAt", "2026-11-29T10:00:02Z"}}}}}}};
  Put(shown);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  EXPECT_THAT(GrantsOf(pod.uid), testing::SizeIs(1));
}

// 60 % + 60 % of one card: they never run together.
TEST_F(AgentLife, InitContainersAreAPeakAndNotASum) {
  StartReady();
  TestPod pod{"p", "uid-p", {}};
  for (const char* name : {"first", "second"}) {
    TestContainer init = Share(name, Uuid(0), 60, 7680);
    init.kind = model::ContainerKind::kInit;
    pod.containers.push_back(init);
  }
  pod.containers.push_back(Share("work", Uuid(0), 70, 7680));
  Admit(pod);
  Json shown = Stored("p");
  EXPECT_EQ(StartsWithin(pod, "first"), Nodes({0}));
  const auto done = [](const std::string& name, const std::string& second) {
    return Json{{"name", name},
                {"containerID", "containerd://" + name},
                {"state",
                 {{"terminated",
                   {{"exitCode", 0},
                    {"startedAt", "2026-11-29T10:00:0" + second + "Z"},
                    {"finishedAt", "2026-11-29T10:00:0" + second + "Z"}}}}}};
  };
  shown["status"]["initContainerStatuses"] = {done("first", "1")};
  Put(shown);
  EXPECT_EQ(StartsWithin(pod, "second"), Nodes({0}));
  shown["status"]["initContainerStatuses"].push_back(done("second", "2"));
  Put(shown);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({0}));
  EXPECT_THAT(GrantsOf(pod.uid), testing::SizeIs(1));
}

TEST_F(AgentLife, ASidecarKeepsItsCardBesideTheAppContainer) {
  StartReady();
  TestContainer sidecar = Share("proxy", Uuid(0));
  sidecar.kind = model::ContainerKind::kSidecar;
  const TestPod pod{"p", "uid-p", {sidecar, Share("work", Uuid(1))}};
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "proxy"), Nodes({0}));
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  EXPECT_THAT(GrantsOf(pod.uid), testing::SizeIs(2));
}

TEST_F(AgentLife, AContainerThatRestartsKeepsItsGrantAndItsUsageFile) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(0));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({0}));
  const auto before = GrantsOf(pod.uid);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(StartsWithin(pod, "work"), Nodes({0}));
  }
  EXPECT_EQ(GrantsOf(pod.uid), before);
  EXPECT_THAT(NamesIn(State("/grants")), testing::SizeIs(1));
  EXPECT_THAT(NamesIn(State("/building")), IsEmpty());
}

TEST_F(AgentLife, AFinishedPodHoldsNothingAlthoughItsObjectStays) {
  StartReady();
  const TestPod done = OneShare("done", Uuid(0), 100, 15360);
  Admit(done);
  ASSERT_EQ(StartsWithin(done, "work"), Nodes({0}));
  Finish(done, "Succeeded");
  const TestPod next = OneShare("next", Uuid(0), 90, 15360);
  Admit(next);
  EXPECT_EQ(StartsWithin(next, "work"), Nodes({0}));
  EXPECT_THAT(GrantsOf(done.uid), IsEmpty());
}

TEST_F(AgentLife, APodBeingDeletedKeepsItsCardUntilItIsGone) {
  StartReady();
  const TestPod old = OneShare("old", Uuid(0), 60, 7680);
  const TestPod next = OneShare("next", Uuid(0), 60, 7680);
  Admit(old);
  ASSERT_EQ(StartsWithin(old, "work"), Nodes({0}));
  Json ending = Stored("old");
  ending["metadata"]["deletionTimestamp"] = "2026-11-29T11:00:00Z";
  Put(ending);
  Admit(next);
  EXPECT_THAT(Refused(next, "work"), HasSubstr("card_busy"));
  Remove(old);
  EXPECT_EQ(StartsWithin(next, "work"), Nodes({0}));
}

TEST_F(AgentLife, TheGrantInTheContainerNamesShareAndCard) {
  StartReady();
  Admit(OneShare("a", Uuid(1)));
  ASSERT_EQ(StartsWithin(OneShare("a", Uuid(1)), "work"), Nodes({1}));
  const Json grants = Grants();
  ASSERT_EQ(grants.size(), 1u);
  EXPECT_EQ(grants[0]["pod"], "a");
  EXPECT_EQ(grants[0]["container"], "work");
  EXPECT_EQ(grants[0]["enforcement"], "none");
  EXPECT_EQ(grants[0]["cards"][0]["uuid"], Uuid(1));
  EXPECT_EQ(grants[0]["cards"][0]["core"], 20);
  EXPECT_EQ(grants[0]["cards"][0]["mib"], 3072);
}

// In mode cdi nothing is named but the device, whose specification PreStartContainer writes.
TEST_F(AgentLife, InModeCdiTheSpecificationIsThereOnceTheContainerStarts) {
  configuration_.grant.mode = "cdi";
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_THAT(NamesIn(configuration_.grant.cdi_directory), IsEmpty());
  const auto given = kubelet_->StartContainer(pod.uid, "work");
  ASSERT_TRUE(given.ok()) << given.status().message();
  const auto& answer = given->at(configuration_.resource_names.core);
  ASSERT_THAT(GrantsOf(pod.uid), testing::SizeIs(1));
  const std::string name = GrantsOf(pod.uid)[0];
  EXPECT_THAT(answer.cdi_devices, ElementsAre("aliquot.io/grant=" + name));
  EXPECT_THAT(answer.devices, IsEmpty());
  EXPECT_THAT(NamesIn(configuration_.grant.cdi_directory),
              ElementsAre("aliquot.io-grant_" + name + ".json"));
}

// Thirty equal shares of 20 % over eight cards, which hold forty: this is where it shows whether a
// pod is known or guessed.
class AgentCrowd : public AgentTest, public testing::WithParamInterface<unsigned> {};

TEST_P(AgentCrowd, ThirtyEqualPodsInRandomOrderSitEachOnTheCardThatItsRecordNames) {
  std::mt19937 random(GetParam());
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  UseProfile(ALIQUOT_SOURCE_DIR "/profiles/h100x8.yaml");
  kubelet_options_.seed = GetParam();
  StartReady();
  std::vector<std::pair<TestPod, int>> pods;
  for (int i = 0; i < 30; ++i) {
    pods.emplace_back(OneShare("p" + std::to_string(i), Uuid(i % 8), 20, 16128), i % 8);
  }
  std::shuffle(pods.begin(), pods.end(), random);
  for (const auto& [pod, card] : pods) {
    Admit(pod);
  }
  std::shuffle(pods.begin(), pods.end(), random);
  std::vector<Names> got(pods.size());
  std::vector<std::thread> starters;
  for (std::size_t thread = 0; thread < 6; ++thread) {
    starters.emplace_back([&, thread] {
      for (std::size_t i = thread; i < pods.size(); i += 6) {
        got[i] = StartsWithin(pods[i].first, "work");
      }
    });
  }
  for (std::thread& starter : starters) {
    starter.join();
  }
  for (std::size_t i = 0; i < pods.size(); ++i) {
    EXPECT_EQ(got[i], Nodes({pods[i].second})) << pods[i].first.name;
  }
  EXPECT_EQ(Grants().size(), 30u);
  EXPECT_EQ(PodWrites(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AgentCrowd, testing::Values(1u, 20u, 300u));

}  // namespace
}  // namespace aliquot::agent
