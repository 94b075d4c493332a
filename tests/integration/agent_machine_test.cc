// SPDX-License-Identifier: Apache-2.0
// What happens to the cards: lost and back, XIDs, no driver, odd machines, other owners.
#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AgentMachine : public AgentTest {
 protected:
  // A profile of `cards` cards, or with these UUIDs.
  void UseCards(const std::vector<std::string>& uuids) {
    std::string text =
        "apiVersion: aliquot.io/v1alpha1\nkind: MachineProfile\ndriver: \"535.183.01\"\n"
        "cuda: \"12.2\"\n"
        "everyCard: {model: Tesla T4, mib: 15360, computeCapability: \"7.5\"}\ncards:";
    for (std::size_t i = 0; i < uuids.size(); ++i) {
      char pci[32];
      std::snprintf(pci, sizeof(pci), "0000:%02zx:00.0", i + 1);
      text += "\n  - {uuid: " + uuids[i] + ", minor: " + std::to_string(i) + ", pci: \"" + pci +
              "\", numa: 0}";
    }
    text += uuids.empty() ? " []\n" : "\n";
    text +=
        "deviceNodes:\n  cardMajor: 195\n  control:\n"
        "    - {name: nvidiactl, major: 195, minor: 255}\n"
        "    - {name: nvidia-uvm, major: 511, minor: 0}\n"
        "    - {name: nvidia-uvm-tools, major: 511, minor: 1}\n";
    UseProfile(directory_.Write("profile.yaml", text));
  }
  std::string Health(int minor) const {
    const Json inventory = Inventory();
    for (const Json& card : inventory.value("cards", Json::array())) {
      if (card[1] == minor) {
        return card[7];
      }
    }
    return "";
  }
  int Allocatable() const { return kubelet_->Allocatable(configuration_.resource_names.core); }
};

TEST_F(AgentMachine, ACardThatIsLostLeavesTheDevicesAndTheInventorySaysSo) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  SetMachine("cards:\n  - {uuid: " + Uuid(1) + ", lost: true}\n");
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 300 && Health(1) == "lost"; }));
  EXPECT_EQ(kubelet_->Capacity(configuration_.resource_names.core), 400);
  EXPECT_EQ(Health(0), "ok");
  EXPECT_TRUE(Eventually([&] { return !EventsOf("a").empty(); }));
  EXPECT_THAT(EventsOf("a"), Contains(HasSubstr("GpuUnhealthy: ")));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("card_unhealthy: "));
  EXPECT_EQ(GrantsOf(pod.uid).size(), 1u) << "the running container is left alone";
}

TEST_F(AgentMachine, ACardThatComesBackIsOfferedAgainAndThePodsOnItAreTold) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  SetMachine("cards:\n  - {uuid: " + Uuid(1) + ", lost: true}\n");
  ASSERT_TRUE(Eventually([&] { return Allocatable() == 300; }));
  SetMachine("");
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 400 && Health(1) == "ok"; }));
  EXPECT_TRUE(Eventually([&] { return EventsOf("a").size() >= 2; }));
  EXPECT_THAT(EventsOf("a"), Contains(HasSubstr("GpuRecovered: ")));
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentMachine, ACardLostBetweenAllocateAndPreStartIsNotGiven) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  SetMachine("cards:\n  - {uuid: " + Uuid(1) + ", lost: true}\n");
  ASSERT_TRUE(Eventually([&] { return Health(1) == "lost"; }));
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("card_unhealthy: "));
  SetMachine("");
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentMachine, AnXidIsToldToEveryPodOnTheCardAndToNoOther) {
  StartReady();
  const TestPod a = OneShare("a", Uuid(1));
  const TestPod b = OneShare("b", Uuid(1));
  const TestPod elsewhere = OneShare("elsewhere", Uuid(2));
  for (const TestPod& pod : {a, b, elsewhere}) {
    Admit(pod);
    StartsWithin(pod, "work");
  }
  // 31 is a program's own fault: it is told and marks nothing.
  SetMachine("events:\n  - {sequence: 1, xid: 31, card: " + Uuid(1) + "}\n");
  EXPECT_TRUE(Eventually([&] { return !EventsOf("a").empty() && !EventsOf("b").empty(); }));
  EXPECT_THAT(EventsOf("a"), Contains(HasSubstr("GpuXid: ")));
  EXPECT_THAT(EventsOf("elsewhere"), IsEmpty());
  EXPECT_EQ(Allocatable(), 400);
  EXPECT_NE(Get("/metrics").body.find("aliquot_agent_xids_total{UUID=\"" + Uuid(1)),
            std::string::npos);
}

// XID 79 asks for a reset of the card; restarting the agent is none.
TEST_F(AgentMachine, ACardThatWaitsForAResetStaysOutOfUseOverARestartOfTheAgent) {
  StartReady();
  SetMachine("events:\n  - {sequence: 1, xid: 79, card: " + Uuid(1) + "}\n");
  ASSERT_TRUE(Eventually([&] { return Allocatable() == 300 && Health(1) == "xid-79"; }));
  KillAgent();
  ASSERT_NO_FATAL_FAILURE(StartReady(300));
  EXPECT_EQ(Health(1), "xid-79");
}

TEST_F(AgentMachine, TheDriverAwayEverythingIsUnhealthyAndRunningContainersAreLeftAlone) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  SetMachine("driver: absent\n");
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 0 && Health(1) == "no-driver"; }));
  EXPECT_EQ(GrantsOf(pod.uid).size(), 1u);
  EXPECT_EQ(Metric("aliquot_agent_degraded{state=\"no_driver\"}"), "1");
  EXPECT_EQ(Get("/readyz").status, 200) << "a node without a driver is ready";
  SetMachine("");
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 400; }));
}

TEST_F(AgentMachine, TheDriverAwaySinceTheStartKeepsWhatWasPublishedAsUnhealthy) {
  StartReady();
  KillAgent();
  SetMachine("driver: absent\n");
  ASSERT_NO_FATAL_FAILURE(StartReady(0));
  EXPECT_TRUE(Eventually([&] { return Health(1) == "no-driver"; }));
  EXPECT_EQ(Inventory()["cards"].size(), 4u);
}

TEST_F(AgentMachine, ANodeWithoutCardsIsReadyAndOffersNothing) {
  UseCards({});
  StartReady(0);
  EXPECT_EQ(Get("/readyz").status, 200);
  EXPECT_EQ(kubelet_->Capacity(configuration_.resource_names.core), 0);
}

TEST_F(AgentMachine, SixteenCardsAreOfferedAndGivenTogether) {
  std::vector<std::string> uuids;
  for (int i = 0; i < 16; ++i) {
    uuids.push_back("GPU-sixteen-" + std::to_string(i));
  }
  UseCards(uuids);
  StartReady(1600);
  const TestPod pod{"all", "uid-all", {Whole("work", uuids)}};
  Admit(pod);
  std::vector<int> minors(16);
  for (int i = 0; i < 16; ++i) {
    minors[static_cast<std::size_t>(i)] = i;
  }
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes(minors));
}

TEST_F(AgentMachine, AMachineProfileWithOneUuidTwiceIsRefusedAtTheStart) {
  configuration_.gpu.profile = directory_.Write(
      "twice.yaml",
      "apiVersion: aliquot.io/v1alpha1\nkind: MachineProfile\ndriver: \"1\"\ncuda: \"12.2\"\n"
      "everyCard: {model: T, mib: 1024, computeCapability: \"7.5\"}\n"
      "cards:\n"
      "  - {uuid: GPU-a, minor: 0, pci: \"0000:01:00.0\"}\n"
      "  - {uuid: GPU-a, minor: 1, pci: \"0000:02:00.0\"}\n"
      "deviceNodes: {control: []}\n");
  Application application(configuration_, log_, options_);
  program::Problems problems;
  EXPECT_FALSE(application.Start(problems));
  ASSERT_FALSE(problems.empty());
  EXPECT_THAT(problems.lines()[0], HasSubstr("GPU-a"));
}

// ---- one owner per card

class AgentOwner : public AgentMachine {
 protected:
  void SetNode(const Json& change) {
    Json node = *server_->store().Find(test::FakeApiStore::Kind::kNode, kTestNode);
    node.merge_patch(change);
    server_->store().Put(test::FakeApiStore::Kind::kNode, node);
  }
};

TEST_F(AgentOwner, CardsThatAnotherPluginAdvertisesAreNotOffered) {
  SetNode({{"status", {{"allocatable", {{"nvidia.com/gpu", "4"}}}}}});
  StartReady(0);
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  EXPECT_EQ(Inventory()["cards"][0][8], "foreign");
  EXPECT_EQ(Metric("aliquot_agent_degraded{state=\"owned_by_other\"}"), "1");
  EXPECT_TRUE(log_.Says("nvidia.com/gpu"));
  SetNode({{"status", {{"allocatable", {{"nvidia.com/gpu", "0"}}}}}});
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 400; })) << "the other plugin has left";
}

TEST_F(AgentOwner, CardsThatTheConfigurationListsAreOfferedBesideAnotherPlugin) {
  SetNode({{"status", {{"allocatable", {{"nvidia.com/gpu", "2"}}}}}});
  configuration_.cards.include = {Uuid(0), Uuid(1)};
  StartReady(200);
  EXPECT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  const TestPod pod = OneShare("a", Uuid(3));
  Admit(pod);
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("card_unhealthy: "));
}

TEST_F(AgentOwner, ADriverUpgradeIsLetToGoOnAndCardsComeBackAfterIt) {
  StartReady();
  SetNode({{"metadata",
            {{"labels", {{"nvidia.com/gpu-driver-upgrade-state", "pod-restart-required"}}}}}});
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 0; }));
  EXPECT_TRUE(Eventually([&] { return Health(0) == "driver-upgrade"; })) << Health(0);
  SetNode({{"metadata", {{"labels", {{"nvidia.com/gpu-driver-upgrade-state", "upgrade-done"}}}}}});
  EXPECT_TRUE(Eventually([&] { return Allocatable() == 400 && Health(0) == "ok"; }));
}

}  // namespace
}  // namespace aliquot::agent
