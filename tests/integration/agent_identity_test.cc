// SPDX-License-Identifier: Apache-2.0
// Who is about to start: with PodResources slow, failing or old, and with device IDs that a sound
// kubelet would not send.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/integration/agent_fixture.h"
#include "tests/support/fake_kubelet_checkpoint.h"
#include "tests/support/fake_kubelet_plugin.h"

namespace aliquot::agent {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AgentIdentity : public AgentTest {
 protected:
  // A kubelet's call with any IDs, over our own socket.
  Status PreStart(const std::vector<std::string>& ids) {
    return Ask([&](test::FakeKubeletPlugin& plugin) {
      return plugin.PreStart(ids, std::chrono::seconds(10));
    });
  }
  Status Allocate(const std::vector<std::string>& ids) {
    return Ask([&](test::FakeKubeletPlugin& plugin) { return plugin.Allocate(ids).status(); });
  }

 private:
  Status Ask(const std::function<Status(test::FakeKubeletPlugin&)>& question) {
    const auto& core = configuration_.resource_names.core;
    std::string endpoint;
    for (const auto& [resource, socket] : kubelet_->Registrations()) {
      endpoint = resource == core ? socket : endpoint;
    }
    test::FakeKubeletPlugin plugin(core, kubelet_options_.directory + "/" + endpoint);
    EXPECT_TRUE(plugin.Connect().ok());
    return question(plugin);
  }
};

TEST_F(AgentIdentity, AFailingPodResourcesServiceKeepsNobodyFromStarting) {
  StartReady();
  kubelet_->FailPodResources(true);
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, ASlowPodResourcesServiceDelaysAStartByAtMostOneCall) {
  StartReady();
  kubelet_->DelayPodResources(std::chrono::milliseconds(2000));
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(*StartContainer(pod, "work"), Nodes({1}));
  EXPECT_LE(kubelet_->pod_resources_gets(), 1);
  kubelet_->DelayPodResources(std::chrono::milliseconds(0));
}

TEST_F(AgentIdentity, AKubeletWithoutGetIsServedFromItsCheckpoint) {
  kubelet_options_.without_get = true;
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(*StartContainer(pod, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, AKubeletWithGetSwitchedOffIsServedFromItsCheckpoint) {
  kubelet_options_.get_disabled = true;
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(*StartContainer(pod, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, AKubeletWithoutPodResourcesIsServedFromItsCheckpoint) {
  kubelet_options_.pod_resources_socket.clear();
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, WithoutACheckpointPodResourcesTellsEqualPodsApart) {
  StartReady();
  const TestPod first = OneShare("first", Uuid(1));
  const TestPod second = OneShare("second", Uuid(2));
  Admit(first);
  Admit(second);
  std::filesystem::remove(kubelet_->checkpoint_path());
  EXPECT_EQ(StartsWithin(second, "work"), Nodes({2}));
  std::filesystem::remove(kubelet_->checkpoint_path());
  EXPECT_EQ(StartsWithin(first, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, WithoutACheckpointAKubeletWithoutGetIsAskedForItsList) {
  kubelet_options_.without_get = true;
  kubelet_options_.lists_ended_pods = true;
  StartReady();
  const TestPod first = OneShare("first", Uuid(1));
  const TestPod second = OneShare("second", Uuid(2));
  Admit(first);
  Admit(second);
  std::filesystem::remove(kubelet_->checkpoint_path());
  EXPECT_EQ(StartsWithin(second, "work"), Nodes({2}));
}

TEST_F(AgentIdentity, WithNothingThatTellsNobodyIsGuessed) {
  kubelet_options_.pod_resources_socket.clear();
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  std::filesystem::remove(kubelet_->checkpoint_path());
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("not_synced: "));
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
}

TEST_F(AgentIdentity, APodThatTheApiServerHasNotShownYetStartsOnceItIs) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  ASSERT_TRUE(kubelet_->Admit(KubeletPod(pod)).ok());
  EXPECT_THAT(Refused(pod, "work"), HasSubstr("not_synced: "));
  Put(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, TwoLivePodsWithEqualIdsAreBothRefused) {
  StartReady();
  const TestPod first = OneShare("first", Uuid(1));
  const TestPod second = OneShare("second", Uuid(2));
  Admit(first);
  Put(second);
  // As by the double allocation that is known of kubelets.
  auto checkpoint = test::ReadCheckpoint(kubelet_->checkpoint_path());
  const std::string core = configuration_.resource_names.core;
  checkpoint.allocations[{second.uid, "work", core}] =
      checkpoint.allocations.at({first.uid, "work", core});
  test::WriteCheckpoint(kubelet_->checkpoint_path(), checkpoint);
  EXPECT_THAT(Refused(first, "work"), HasSubstr("ids_in_use: "));
  EXPECT_THAT(Refused(first, "work"), HasSubstr(second.name));
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
  Remove(second);
  checkpoint.allocations.erase({second.uid, "work", core});
  test::WriteCheckpoint(kubelet_->checkpoint_path(), checkpoint);
  EXPECT_EQ(StartsWithin(first, "work"), Nodes({1}));
}

TEST_F(AgentIdentity, TheSameIdTwiceIsRefused) {
  StartReady();
  EXPECT_FALSE(Allocate({"c1", "c1"}).ok());
  const Status started = PreStart({"c1", "c1"});
  EXPECT_THAT(started.message(), HasSubstr("c1"));
  EXPECT_FALSE(started.ok());
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
}

TEST_F(AgentIdentity, IdsThatWereNeverAdvertisedAreRefused) {
  StartReady();
  for (const std::string id : {"c9999", "m1", "GPU-1", "../../etc", "", "c01"}) {
    EXPECT_FALSE(Allocate({id}).ok()) << id;
    EXPECT_FALSE(PreStart({id}).ok()) << id;
  }
  EXPECT_THAT(NamesIn(State("/grants")), IsEmpty());
}

TEST_F(AgentIdentity, IdsThatNoPodHoldsAreRefused) {
  StartReady();
  EXPECT_TRUE(Allocate({"c1"}).ok()) << "a pure function of the IDs";
  EXPECT_THAT(PreStart({"c1"}).message(), HasSubstr("wrong_pod: "));
}

}  // namespace
}  // namespace aliquot::agent
