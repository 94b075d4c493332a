// SPDX-License-Identifier: Apache-2.0
// The fake kubelet's own rules, since other tests rely on them; seen with a plugin of ours.
#include "tests/support/fake_kubelet.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "agent/plugin/pod_resources_client.h"
#include "tests/unit/agent/plugin/host_fixture.h"

namespace aliquot::agent {
namespace {

using model::ContainerKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FakeKubeletTest : public HostTest {
 protected:
  void Begin(test::FakeKubeletOptions options = {}) {
    options.pod_resources_socket = directory_ / "pod-resources.sock";
    StartKubelet(options);
    StartHost();
    ASSERT_TRUE(Registered());
  }

  std::vector<std::string> Ids(const std::string& container) const {
    return kubelet_->DeviceIds("uid-1", container, kCore);
  }

  Result<std::vector<PodResourcesPod>> List() const {
    PodResourcesClient client(directory_ / "pod-resources.sock", kCore);
    return client.List(std::chrono::steady_clock::now() + std::chrono::seconds(5));
  }
};

test::FakePod OnePod(std::vector<test::FakeContainer> containers) {
  return {{"team", "a"}, "uid-1", std::move(containers)};
}

TEST_F(FakeKubeletTest, LaterContainersReuseAnInitContainersIds) {
  Begin();
  ASSERT_TRUE(kubelet_
                  ->Admit(OnePod({{"setup", ContainerKind::kInit, {{kCore, 5}}},
                                  {"main", ContainerKind::kApp, {{kCore, 5}}}}))
                  .ok());
  EXPECT_THAT(Ids("setup"), SizeIs(5));
  EXPECT_EQ(Ids("main"), Ids("setup"));
}

TEST_F(FakeKubeletTest, ASidecarKeepsItsIdsForItself) {
  Begin();
  ASSERT_TRUE(kubelet_
                  ->Admit(OnePod({{"setup", ContainerKind::kInit, {{kCore, 12}}},
                                  {"side", ContainerKind::kSidecar, {{kCore, 6}}},
                                  {"main", ContainerKind::kApp, {{kCore, 6}}}}))
                  .ok());
  std::vector<std::string> both = Ids("side");
  for (const std::string& id : Ids("main")) both.push_back(id);
  std::sort(both.begin(), both.end());
  EXPECT_EQ(both, Ids("setup"));  // 6 and 6 of the 12, none shared
}

TEST_F(FakeKubeletTest, ContainersAreAllocatedInSpecOrderWithIdsInAnyOrder) {
  Begin();
  ASSERT_TRUE(kubelet_
                  ->Admit(OnePod({{"setup", ContainerKind::kInit, {{kCore, 1}, {kMemory, 1}}},
                                  {"a", ContainerKind::kApp, {{kCore, 30}, {kMemory, 1}}},
                                  {"b", ContainerKind::kApp, {{kCore, 3}, {kMemory, 1}}}}))
                  .ok());
  const auto allocated = desk_.allocated();
  ASSERT_THAT(allocated, SizeIs(3));
  EXPECT_THAT(allocated[0], SizeIs(1));
  EXPECT_THAT(allocated[1], SizeIs(30));
  EXPECT_THAT(allocated[2], SizeIs(3));
  EXPECT_FALSE(std::is_sorted(allocated[1].begin(), allocated[1].end()));
}

TEST_F(FakeKubeletTest, APodThatAsksForTooMuchIsRejected) {
  Begin();
  const Status status = kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 101}}}}));
  EXPECT_EQ(status.message(),
            "Pod was rejected: Allocate failed due to requested number of devices unavailable for "
            "tencent.com/vcuda-core. Requested: 101, Available: 100, which is unexpected");
}

TEST_F(FakeKubeletTest, IdsOfAnEndedPodAreFreeAtTheNextAdmission) {
  Begin();
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 100}}}})).ok());
  const test::FakePod next{{"team", "b"}, "uid-2", {{"main", {}, {{kCore, 100}}}}};
  EXPECT_FALSE(kubelet_->Admit(next).ok());
  kubelet_->End("uid-1");
  EXPECT_TRUE(kubelet_->Admit(next).ok());
}

TEST_F(FakeKubeletTest, AResourceThatNobodyServesIsIgnored) {
  Begin();
  EXPECT_TRUE(
      kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{"example.org/x", 1}}}})).ok());
}

TEST_F(FakeKubeletTest, WithoutTheAgentAStartIsRefused) {
  Begin();
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 5}}}})).ok());
  host_->Stop();
  ASSERT_TRUE(kubelet_->WaitForAllocatable(kCore, 0));
  EXPECT_EQ(kubelet_->StartContainer("uid-1", "main").status().code(), StatusCode::kUnavailable);
}

TEST_F(FakeKubeletTest, AfterARestartCachedAnswersAreGivenWithoutPreStart) {
  Begin();
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 5}}}})).ok());
  host_->Stop();
  kubelet_->Stop();
  kubelet_->Start();
  EXPECT_EQ(kubelet_->Capacity(kCore), 0);
  const auto started = kubelet_->StartContainer("uid-1", "main");
  ASSERT_TRUE(started.ok());
  EXPECT_EQ(started->at(kCore).devices.at(0).host_path, "/host/5");
  EXPECT_THAT(desk_.pre_started(), IsEmpty());
}

TEST_F(FakeKubeletTest, TheCheckpointHasTheFormOfARealOne) {
  Begin();
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 2}}}})).ok());
  const auto read = [](const std::string& path) {
    std::ifstream file(path);
    return nlohmann::json::parse(file);
  };
  const auto keys = [](const nlohmann::json& object) {
    std::set<std::string> names;
    for (const auto& [name, value] : object.items()) names.insert(name);
    return names;
  };
  const nlohmann::json ours = read(kubelet_->checkpoint_path());
  const nlohmann::json real = read(std::string(ALIQUOT_SOURCE_DIR) +
                                   "/tests/data/recorded/kubelet/kubelet_internal_checkpoint.json");
  EXPECT_EQ(keys(ours), keys(real));
  EXPECT_EQ(keys(ours["Data"]), keys(real["Data"]));
  const nlohmann::json& entry = ours["Data"]["PodDeviceEntries"][0];
  EXPECT_EQ(keys(entry), keys(real["Data"]["PodDeviceEntries"][0]));
  EXPECT_EQ(entry["PodUID"], "uid-1");
  EXPECT_EQ(entry["ContainerName"], "main");
  EXPECT_EQ(entry["ResourceName"], kCore);
  EXPECT_THAT(entry["DeviceIDs"]["-1"], SizeIs(2));
  EXPECT_THAT(ours["Data"]["RegisteredDevices"][kCore], SizeIs(100));
  EXPECT_TRUE(ours["Checksum"].is_number_unsigned());
}

TEST_F(FakeKubeletTest, OldPatchesListPodsThatHaveEnded) {
  test::FakeKubeletOptions options;
  options.lists_ended_pods = true;
  Begin(options);
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 5}}}})).ok());
  kubelet_->End("uid-1");
  const auto pods = List();
  ASSERT_TRUE(pods.ok());
  ASSERT_THAT(*pods, SizeIs(1));
  EXPECT_THAT(pods->front().containers.at(0).device_ids, SizeIs(5));
}

TEST_F(FakeKubeletTest, NewerOnesDoNot) {
  Begin();
  ASSERT_TRUE(kubelet_->Admit(OnePod({{"main", ContainerKind::kApp, {{kCore, 5}}}})).ok());
  kubelet_->End("uid-1");
  const auto pods = List();
  ASSERT_TRUE(pods.ok());
  EXPECT_THAT(*pods, IsEmpty());
}

TEST_F(FakeKubeletTest, AStoppedKubeletLeavesItsSocketAndOursLieToo) {
  Begin();
  kubelet_->Stop();
  EXPECT_TRUE(std::filesystem::is_socket(directory_ / "plugins/kubelet.sock"));
  EXPECT_TRUE(test::Eventually([&] { return Sockets().size() == 2; }));
}

}  // namespace
}  // namespace aliquot::agent
