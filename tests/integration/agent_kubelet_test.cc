// SPDX-License-Identifier: Apache-2.0
// The kubelet's directory: missing, late, of a wrong kind.
#include <filesystem>

#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AgentKubelet : public AgentTest {};

TEST_F(AgentKubelet, NoKubeletYetTheAgentWaitsAndSaysSo) {
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_TRUE(Eventually([&] {
    return Get("/readyz").body.find("the kubelet does not listen") != std::string::npos;
  }));
  EXPECT_EQ(Get("/readyz").status, 503);
  EXPECT_EQ(Get("/healthz").status, 200);
  StartKubelet();
  EXPECT_TRUE(WaitReady(400));
}

TEST_F(AgentKubelet, ADirectoryThatIsMissingIsWaitedForAndNamed) {
  fs::remove_all(kubelet_options_.directory);
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_TRUE(Eventually([&] {
    return Get("/readyz").body.find(kubelet_options_.directory) != std::string::npos;
  })) << Get("/readyz").body;
  fs::create_directory(kubelet_options_.directory);
  StartKubelet();
  EXPECT_TRUE(WaitReady(400));
}

// Root writes everywhere, so a file stands for what can't be used.
TEST_F(AgentKubelet, AFileInThePlaceOfTheDirectoryIsNamed) {
  fs::remove_all(kubelet_options_.directory);
  directory_.Write("plugins", "");
  ASSERT_NO_FATAL_FAILURE(Start());
  EXPECT_TRUE(Eventually([&] {
    return Get("/readyz").body.find(kubelet_options_.directory) != std::string::npos;
  })) << Get("/readyz").body;
  EXPECT_EQ(Get("/readyz").status, 503);
}

TEST_F(AgentKubelet, ADirectoryMadeAnewIsNoticed) {
  StartReady();
  kubelet_->Stop();
  fs::rename(kubelet_options_.directory, directory_.PathOf("old"));
  fs::create_directory(kubelet_options_.directory);
  kubelet_->Start();
  EXPECT_TRUE(WaitForDevices(400));
}

TEST_F(AgentKubelet, OurSocketRemovedIsMadeAnewAndRegistered) {
  StartReady();
  const auto registrations = kubelet_->Registrations().size();
  for (const std::string& name : NamesIn(kubelet_options_.directory)) {
    if (name != "kubelet.sock" && name != "kubelet_internal_checkpoint") {
      fs::remove(kubelet_options_.directory + "/" + name);
    }
  }
  EXPECT_TRUE(Eventually([&] { return kubelet_->Registrations().size() >= registrations + 2; }));
  EXPECT_TRUE(WaitReady(400));
}

// Up to 1.36 a kubelet can lose a registration that looks good from our side.
TEST_F(AgentKubelet, ANodeWhoseAllocatableStaysZeroIsRegisteredAnew) {
  options_.offer.stuck_for = std::chrono::milliseconds(200);
  StartReady();
  const auto registrations = kubelet_->Registrations().size();
  EXPECT_TRUE(Eventually([&] { return kubelet_->Registrations().size() >= registrations + 2; }));
  Json node = *server_->store().Find(test::FakeApiStore::Kind::kNode, kTestNode);
  node["status"]["allocatable"] = {{configuration_.resource_names.core, "400"}};
  server_->store().Put(test::FakeApiStore::Kind::kNode, node);
  EXPECT_TRUE(WaitReady(400));
}

// While the runtime is down the kubelet knows no version of it. Devices that are withdrawn even for
// a moment make the kubelet fail every pod that was bound just then, for good.
TEST_F(AgentKubelet, ARuntimeThatIsDownForAMomentChangesNothing) {
  configuration_.grant.mode = "cdi";
  const auto tell = [this](const std::string& runtime) {
    Json node = *server_->store().Find(test::FakeApiStore::Kind::kNode, kTestNode);
    node["status"]["nodeInfo"] = {{"containerRuntimeVersion", runtime}};
    // Written again once the agent has seen the node as it is now.
    node["metadata"].erase("annotations");
    server_->store().Put(test::FakeApiStore::Kind::kNode, node);
    ASSERT_TRUE(Eventually([&] { return Inventory().contains("cards"); }));
  };
  StartReady();
  ASSERT_NO_FATAL_FAILURE(tell("containerd://2.1.9"));
  ASSERT_NO_FATAL_FAILURE(tell("containerd://Unknown"));
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_FALSE(log_.Says("not everything is offered")) << log_.Text();
  EXPECT_EQ(kubelet_->Allocatable(configuration_.resource_names.core), 400);
  ASSERT_NO_FATAL_FAILURE(tell("containerd://1.7.22"));
  EXPECT_TRUE(WaitForDevices(0)) << "it came back as another one";
}

TEST_F(AgentKubelet, TheAgentsEndLeavesNoSocketBehind) {
  StartReady();
  ASSERT_TRUE(application_->Drain().ok());
  for (const std::string& name : NamesIn(kubelet_options_.directory)) {
    EXPECT_TRUE(name == "kubelet.sock" || name == "kubelet_internal_checkpoint") << name;
  }
}

// A gpu-manager beside us would give out the same cards.
TEST_F(AgentKubelet, EverySocketOfOursHasANameOfItsOwn) {
  StartReady();
  std::set<std::string> endpoints;
  for (int i = 0; i < 3; ++i) {
    ASSERT_NO_FATAL_FAILURE(RestartAgent());
  }
  for (const auto& [resource, endpoint] : kubelet_->Registrations()) {
    EXPECT_TRUE(endpoints.insert(endpoint).second) << endpoint;
    EXPECT_NE(endpoint, "vcore.sock");
    EXPECT_NE(endpoint, "vmemory.sock");
  }
}

}  // namespace
}  // namespace aliquot::agent
