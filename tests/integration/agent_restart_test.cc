// SPDX-License-Identifier: Apache-2.0
// Agent, kubelet and API server end at every step of a pod's life: nothing is lost, nothing is
// given twice, running containers are left alone.
#include <filesystem>
#include <fstream>

#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AgentRestart : public AgentTest {
 protected:
  // Everything of a grant that a running container has mounted.
  std::vector<std::filesystem::file_time_type> GrantTimes() const {
    std::vector<std::filesystem::file_time_type> times;
    for (const std::string& name : NamesIn(State("/grants"))) {
      times.push_back(std::filesystem::last_write_time(State("/grants/" + name + "/grant.json")));
    }
    return times;
  }
};

TEST_F(AgentRestart, BeforeAllocateChangesNothing) {
  StartReady();
  RestartAgent();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentRestart, BetweenAllocateAndPreStartTheContainerStartsOnItsCard) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  KillAgent();
  EXPECT_FALSE(StartContainer(pod, "work").ok()) << "nobody is there to fill the grant";
  StartReady();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentRestart, AfterPreStartTheGrantIsRecalledAndCountsOnItsCard) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1), 60, 7680);
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const auto names = GrantsOf(pod.uid);
  const auto times = GrantTimes();
  RestartAgent();
  EXPECT_EQ(GrantsOf(pod.uid), names);
  EXPECT_EQ(GrantTimes(), times) << "a running container's files are left alone";
  const TestPod next = OneShare("next", Uuid(1), 60, 7680);
  Admit(next);
  EXPECT_THAT(Refused(next, "work"), HasSubstr("card_busy"));
}

TEST_F(AgentRestart, WhileAPodTerminatesItsGrantGoesOnceThePodIsGone) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  Json ending = Stored("a");
  ending["metadata"]["deletionTimestamp"] = "2026-11-29T11:00:00Z";
  Put(ending);
  RestartAgent();
  EXPECT_THAT(GrantsOf(pod.uid), SizeIs(1));
  Remove(pod);
  EXPECT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
}

TEST_F(AgentRestart, APodThatWentWhileTheAgentWasAwayIsRemovedByTheFirstList) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  KillAgent();
  Remove(pod);
  StartReady();
  EXPECT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
  EXPECT_TRUE(log_.Says("gone while nobody watched"));
}

TEST_F(AgentRestart, TheApiServerAwayAContainerThatWasFilledStartsAgainAndOthersWait) {
  StartReady();
  const TestPod filled = OneShare("filled", Uuid(1));
  const TestPod fresh = OneShare("fresh", Uuid(2));
  Admit(filled);
  ASSERT_EQ(StartsWithin(filled, "work"), Nodes({1}));
  Admit(fresh);
  KillAgent();
  StopApiServer();
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_TRUE(WaitForDevices(400));
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(StartsWithin(filled, "work"), Nodes({1}));
  EXPECT_THAT(Refused(fresh, "work"), HasSubstr("not_synced"));
  ResumeApiServer();
  EXPECT_EQ(StartsWithin(fresh, "work"), Nodes({2}));
  EXPECT_EQ(GrantsOf(filled.uid).size(), 1u);
}

TEST_F(AgentRestart, TheApiServerAwayMeanwhileChangesNothingForAPodThatIsKnown) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  StopApiServer();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  ResumeApiServer();
  Remove(pod);
  EXPECT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
}

TEST_F(AgentRestart, OtherIdsOfAFilledContainerAreNotRecalledWhileTheApiServerIsAway) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  // The pod goes and another one gets other IDs, all while nobody tells the agent.
  KillAgent();
  StopApiServer();
  ASSERT_NO_FATAL_FAILURE(Start());
  ASSERT_TRUE(WaitForDevices(400));
  const TestPod other = OneShare("b", Uuid(1));
  Admit(other);
  EXPECT_THAT(Refused(other, "work"), HasSubstr("not_synced"));
}

TEST_F(AgentRestart, TheKubeletRestartedIsRegisteredWithAnewOnFreshSockets) {
  StartReady();
  const auto before = kubelet_->Registrations();
  ASSERT_GE(before.size(), 2u);
  kubelet_->Stop();
  kubelet_->Start();
  const TestPod pod = OneShare("a", Uuid(1));
  ASSERT_TRUE(WaitForDevices(400));
  const auto after = kubelet_->Registrations();
  EXPECT_GE(after.size(), before.size() + 2);
  for (std::size_t i = before.size(); i < after.size(); ++i) {
    for (const auto& old : before) {
      EXPECT_NE(after[i].second, old.second) << "a socket's name was used twice";
    }
  }
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentRestart, AKubeletThatRemovesEveryFileOfItsDirectoryIsRegisteredWithAnew) {
  kubelet_options_.removes_all_files = true;
  StartReady();
  kubelet_->Stop();
  kubelet_->Start();
  EXPECT_TRUE(WaitForDevices(400));
}

// Between its own restart and our registration the kubelet hands out what it has cached and asks
// nobody.
TEST_F(AgentRestart, ACachedAnswerReplayedWithoutPreStartFindsTheContainersOwnGrant) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  KillAgent();
  kubelet_->Stop();
  kubelet_->Start();
  EXPECT_EQ(*StartContainer(pod, "work"), Nodes({1}));
}

TEST_F(AgentRestart, ACachedAnswerReplayedWithoutPreStartNeverFindsAnotherPodsGrant) {
  StartReady();
  const std::string core = configuration_.resource_names.core;
  // Every ID is taken, so that the second pod gets the IDs of the first.
  TestPod first{"first", "uid-first", {Whole("work", {Uuid(0), Uuid(1), Uuid(2), Uuid(3)})}};
  Admit(first);
  ASSERT_EQ(StartsWithin(first, "work"), Nodes({0, 1, 2, 3}));
  kubelet_->End(first.uid);  // and the agent is not told yet
  TestPod second{"second", "uid-second", {Whole("work", {Uuid(3), Uuid(2), Uuid(1), Uuid(0)})}};
  Admit(second);
  ASSERT_EQ(kubelet_->DeviceIds(second.uid, "work", core).size(), 400u);
  KillAgent();
  kubelet_->Stop();
  kubelet_->Start();
  const auto started = StartContainer(second, "work");
  ASSERT_FALSE(started.ok()) << "it was started on what was given to another pod";
  EXPECT_THAT(started.status().message(), HasSubstr("no such file"));
}

TEST_F(AgentRestart, ARebootGivesAgainByUuidAndNotByMinorNumber) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  KillAgent();
  kubelet_->Stop();
  std::filesystem::remove_all(State());
  SetMachine("cards:\n  - {uuid: " + Uuid(1) + ", minor: 2}\n  - {uuid: " + Uuid(2) +
             ", minor: 1}\n");
  kubelet_->Start();
  EXPECT_FALSE(StartContainer(pod, "work").ok()) << "nothing starts before PreStartContainer";
  StartReady();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({2}));
}

TEST_F(AgentRestart, AStateDirectoryThatOutlivedARebootIsNotTrusted) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  KillAgent();
  std::ofstream(State("/boot-id")) << "00000000-0000-0000-0000-000000000000\n";
  SetMachine("cards:\n  - {uuid: " + Uuid(1) + ", minor: 2}\n  - {uuid: " + Uuid(2) +
             ", minor: 1}\n");
  StartReady();
  EXPECT_TRUE(log_.Says("of an earlier boot"));
  EXPECT_THAT(GrantsOf(pod.uid), IsEmpty());
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({2}));
}

TEST_F(AgentRestart, ADamagedRecordIsSetAsideAndItsContainerGetsANewGrant) {
  StartReady();
  const TestPod hurt = OneShare("hurt", Uuid(1));
  const TestPod well = OneShare("well", Uuid(2));
  Admit(hurt);
  Admit(well);
  ASSERT_EQ(StartsWithin(hurt, "work"), Nodes({1}));
  ASSERT_EQ(StartsWithin(well, "work"), Nodes({2}));
  const std::string name = GrantsOf(hurt.uid).at(0);
  KillAgent();
  std::ofstream(State("/grants/" + name + "/grant.json")) << "{\"v\":1,\"che";
  StartReady();
  EXPECT_THAT(NamesIn(State("/damaged")), ElementsAre(HasSubstr(name)));
  EXPECT_EQ(Metric("aliquot_agent_damaged_files_total"), "1");
  EXPECT_THAT(GrantsOf(well.uid), SizeIs(1));
  EXPECT_EQ(StartsWithin(hurt, "work"), Nodes({1}));
}

TEST_F(AgentRestart, AnAgentOfAnotherModeLeavesRunningContainersTheirFiles) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const auto times = GrantTimes();
  KillAgent();
  configuration_.grant.mode = "cdi";
  StartReady();
  EXPECT_EQ(GrantTimes(), times);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1})) << "the kubelet keeps the old answer";
}

}  // namespace
}  // namespace aliquot::agent
