// SPDX-License-Identifier: Apache-2.0
// What the agent says: to the node object, on its monitor, at its end; and what it does not write.
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <fstream>
#include <thread>

#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
constexpr auto kNode = test::FakeApiStore::Kind::kNode;

class AgentApi : public AgentTest {};

TEST_F(AgentApi, WhenNothingChangesNothingIsWritten) {
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  // A hundred looks at the machine, more ticks.
  const std::size_t before = NodeWrites();
  const auto looks = std::chrono::steady_clock::now() + std::chrono::milliseconds(1000);
  while (std::chrono::steady_clock::now() < looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(NodeWrites(), before);
  EXPECT_EQ(before, 1u) << "inventory and labels are one write";
  EXPECT_THAT(server_->store().Events(), IsEmpty());
}

TEST_F(AgentApi, ARestartOfTheAgentWritesNothing) {
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  const std::size_t before = NodeWrites();
  RestartAgent();
  ASSERT_TRUE(Eventually([&] { return log_.Says("devices advertised"); }));
  EXPECT_EQ(NodeWrites(), before);
}

TEST_F(AgentApi, NoWriteIsMadePerPod) {
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  const std::size_t before = NodeWrites();
  for (int i = 0; i < 8; ++i) {
    const TestPod pod = OneShare("p" + std::to_string(i), Uuid(i % 4));
    Admit(pod);
    EXPECT_EQ(StartsWithin(pod, "work"), Nodes({i % 4}));
    Remove(pod);
  }
  EXPECT_TRUE(Eventually([&] { return NamesIn(State("/grants")).empty(); }));
  EXPECT_EQ(NodeWrites(), before);
  EXPECT_EQ(PodWrites(), 0u);
  EXPECT_THAT(server_->store().Events(), IsEmpty());
}

TEST_F(AgentApi, TheStartupTaintGoesOnceTheInventoryIsThere) {
  Json node = *server_->store().Find(kNode, kTestNode);
  node["spec"]["taints"] = {{{"key", "aliquot.io/starting"}, {"effect", "NoSchedule"}},
                            {{"key", "other"}, {"effect", "NoSchedule"}}};
  server_->store().Put(kNode, node);
  configuration_.startup_taint = "aliquot.io/starting";
  StartReady();
  EXPECT_TRUE(Eventually([&] {
    const Json now = *server_->store().Find(kNode, kTestNode);
    return now["spec"]["taints"].size() == 1 && now["spec"]["taints"][0]["key"] == "other";
  }));
  EXPECT_FALSE(Inventory().empty());
}

TEST_F(AgentApi, DrainMarksTheInventoryAsLeavingAndTheNextStartClearsIt) {
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const Status drained = application_->Drain();
  EXPECT_TRUE(drained.ok()) << drained.message();
  EXPECT_EQ(Inventory().value("state", ""), "leaving");
  EXPECT_THAT(NamesIn(State("/grants")), testing::SizeIs(1)) << "containers run on";
  KillAgent();
  StartReady();
  EXPECT_TRUE(Eventually([&] { return Inventory().value("state", "") == ""; }));
}

TEST_F(AgentApi, TheNodeStaysLeavingUntilAKubeletListensToTheNextAgent) {
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  ASSERT_TRUE(application_->Drain().ok());
  KillAgent();
  kubelet_->Stop();
  ASSERT_NO_FATAL_FAILURE(Start());
  // What the new agent sees is published, so it has judged the node.
  SetMachine("events:\n  - {sequence: 1, xid: 79, card: " + Uuid(1) + "}\n");
  ASSERT_TRUE(Eventually([&] { return Inventory().dump().find("xid-79") != std::string::npos; }))
      << Inventory().dump();
  EXPECT_EQ(Inventory().value("state", ""), "leaving") << "a pod bound now would be rejected";
  kubelet_->Start();
  EXPECT_TRUE(Eventually([&] { return Inventory().value("state", "") == ""; }));
}

TEST_F(AgentApi, APodThatWasBoundJustBeforeTheAgentLeavesIsAdmitted) {
  options_.last_pods = std::chrono::milliseconds(2000);
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  std::thread drain([&] { EXPECT_TRUE(application_->Drain().ok()); });
  EXPECT_TRUE(Eventually([&] { return Inventory().value("state", "") == "leaving"; }));
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  drain.join();
  KillAgent();
  StartReady();
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentApi, DrainOfANodeWithoutAnyCardOrDriverEndsAtOnce) {
  SetMachine("driver: absent\n");
  StartReady(0);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(application_->Drain().ok());
  EXPECT_LT(std::chrono::steady_clock::now() - before, configuration_.drain_timeout);
  EXPECT_EQ(NodeWrites(), 0u);
}

TEST_F(AgentApi, DrainGivesUpWhenTheNodeCannotBeTold) {
  configuration_.drain_timeout = std::chrono::milliseconds(200);
  StartReady();
  ASSERT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  StopApiServer();
  EXPECT_EQ(application_->Drain().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(AgentApi, ReadyzNamesEveryReason) {
  StopApiServer();
  ASSERT_NO_FATAL_FAILURE(Start());
  const Page page = Get("/readyz");
  EXPECT_EQ(page.status, 503);
  EXPECT_THAT(page.body, HasSubstr("this node's object has not been read"));
  EXPECT_THAT(page.body, HasSubstr("the pods of this node have not been read"));
  EXPECT_THAT(page.body, HasSubstr("the kubelet does not listen to our devices yet"));
  ResumeApiServer();
  StartKubelet();
  EXPECT_TRUE(WaitReady(400));
}

TEST_F(AgentApi, ANodeObjectThatDoesNotExistIsWaitedFor) {
  server_->store().Delete(kNode, kTestNode);
  StartKubelet();
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_TRUE(WaitForDevices(400));
  EXPECT_EQ(Get("/readyz").status, 503);
  server_->store().Put(kNode, {{"metadata", {{"name", kTestNode}}}});
  EXPECT_TRUE(WaitReady(400));
  EXPECT_TRUE(Eventually([&] { return !Inventory().empty(); }));
}

TEST_F(AgentApi, TheMetricsNameCardsAndShares) {
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  const std::string metrics = Get("/metrics").body;
  EXPECT_THAT(metrics, HasSubstr("aliquot_share_info{"));
  EXPECT_THAT(metrics, HasSubstr("pod=\"a\""));
  EXPECT_EQ(Metric("aliquot_agent_grants_total"), "1");
  EXPECT_TRUE(Eventually([&] {
    return Metric("aliquot_agent_registered{resource=\"tencent.com/vcuda-core\"}") == "1";
  }));
  EXPECT_EQ(Metric("aliquot_agent_degraded{state=\"no_enforcement\"}"), "1");
}

TEST_F(AgentApi, GpuManagersPagesAreThereOnlyWhereConfigured) {
  StartReady();
  for (const char* page : {"/metric", "/usage", "/graph"}) {
    EXPECT_EQ(Get(page).status, 404) << page;
  }
  KillAgent();
  configuration_.gpu_manager_pages = true;
  StartReady();
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  ASSERT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  for (const char* page : {"/metric", "/usage", "/graph"}) {
    EXPECT_EQ(Get(page).status, 200) << page;
  }
  EXPECT_THAT(Get("/metric").body, HasSubstr("pod_name=\"a\""));
}

// ---- the program itself

class AgentProgram : public AgentTest {
 protected:
  // Runs aliquot-agent in a process of its own; its standard error lies in `errors_`.
  pid_t Run(const std::vector<std::string>& arguments) {
    errors_ = directory_.PathOf("stderr");
    const pid_t pid = fork();
    if (pid == 0) {
      std::vector<char*> argv{const_cast<char*>(ALIQUOT_AGENT_PROGRAM)};
      for (const std::string& each : arguments) {
        argv.push_back(const_cast<char*>(each.c_str()));
      }
      argv.push_back(nullptr);
      if (freopen(errors_.c_str(), "w", stderr) == nullptr) {
        _exit(99);
      }
      execv(argv[0], argv.data());
      _exit(98);
    }
    return pid;
  }
  static int ExitCode(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256;
  }
  std::string Errors() const {
    std::ifstream file(errors_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string ConfigurationFile() {
    configuration_.addresses_file = directory_.PathOf("addresses.json");
    return directory_.Write("agent.yaml", PrintConfiguration(configuration_));
  }

  std::string errors_;
};

TEST_F(AgentProgram, SigtermDrainsAndEndsWithZero) {
  StartKubelet();
  const pid_t pid = Run({"--config", ConfigurationFile()});
  EXPECT_TRUE(WaitForDevices(400));
  EXPECT_TRUE(Eventually([&] { return !Inventory().empty(); }));
  ASSERT_EQ(kill(pid, SIGTERM), 0);
  EXPECT_EQ(ExitCode(pid), 0) << Errors();
  EXPECT_EQ(Inventory().value("state", ""), "leaving");
}

TEST_F(AgentProgram, KilledItLeavesWhatTheNextOneTakesUp) {
  StartKubelet();
  const pid_t pid = Run({"--config", ConfigurationFile()});
  EXPECT_TRUE(WaitForDevices(400));
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ExitCode(pid);
  StartReady();
  EXPECT_EQ(GrantsOf(pod.uid).size(), 1u);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentProgram, EveryProblemOfTheConfigurationIsALineAndTheExitCodeIsOne) {
  configuration_.gpu.profile.clear();
  configuration_.listen_monitor = "0.0.0.0:1";
  EXPECT_EQ(ExitCode(Run({"--config", ConfigurationFile()})), 1);
  EXPECT_THAT(Errors(), HasSubstr("gpu.profile"));
  EXPECT_THAT(Errors(), HasSubstr("listen.monitor"));
}

TEST_F(AgentProgram, TheProbeAsksTheRunningAgent) {
  StartKubelet();
  const std::string file = ConfigurationFile();
  EXPECT_EQ(ExitCode(Run({"--config", file, "--probe", "live"})), 1) << "none runs";
  const pid_t pid = Run({"--config", file});
  EXPECT_TRUE(WaitForDevices(400));
  EXPECT_TRUE(Eventually([&] {
    return ExitCode(Run({"--config", file, "--probe", "ready"})) == 0;
  })) << Errors();
  ASSERT_EQ(kill(pid, SIGTERM), 0);
  EXPECT_EQ(ExitCode(pid), 0);
}

}  // namespace
}  // namespace aliquot::agent
