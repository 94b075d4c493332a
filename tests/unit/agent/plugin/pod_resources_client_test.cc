// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/pod_resources_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/plugin/grpc_channel.h"
#include "agent/plugin/plugin_host.h"
#include "tests/support/fake_kubelet.h"
#include "tests/unit/agent/plugin/plugin_fixture.h"

namespace aliquot::agent {
namespace {

using model::ContainerKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

SteadyTime In(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

// A kubelet with one pod of an init container (5), a sidecar (5) and a container (20) admitted.
class PodResourcesClientTest : public ::testing::Test {
 protected:
  void Begin(test::FakeKubeletOptions options) {
    options.directory = directory_.path();
    options.pod_resources_socket = directory_ / "pod-resources.sock";
    kubelet_ = std::make_unique<test::FakeKubelet>(options);
    kubelet_->Start();
    PluginHostOptions host_options;
    host_options.directory = directory_.path();
    host_options.core_resource = kCore;
    host_options.memory_resource = kMemory;
    host_ = std::make_unique<PluginHost>(host_options, desk_, log_);
    host_->SetDevices(Cores(100, 100), Memories(60));
    host_->Start();
    ASSERT_TRUE(kubelet_->WaitForAllocatable(kCore, 100));
    ASSERT_TRUE(kubelet_->WaitForAllocatable(kMemory, 60));
    const Status admitted =
        kubelet_->Admit({{"team", "train"},
                         "uid-1",
                         {{"setup", ContainerKind::kInit, {{kCore, 5}, {kMemory, 1}}},
                          {"proxy", ContainerKind::kSidecar, {{kCore, 5}, {kMemory, 1}}},
                          {"main", ContainerKind::kApp, {{kCore, 20}, {kMemory, 15}}}}});
    ASSERT_TRUE(admitted.ok()) << admitted.message();
    client_ = std::make_unique<PodResourcesClient>(options.pod_resources_socket, kCore);
  }

  TemporaryDirectory directory_;
  FakeDesk desk_;
  observability::NullLog log_;
  std::unique_ptr<test::FakeKubelet> kubelet_;
  std::unique_ptr<PluginHost> host_;
  std::unique_ptr<PodResourcesClient> client_;
};

TEST_F(PodResourcesClientTest, GetGathersTheIdsOfOurResourceOfEachContainer) {
  Begin({});
  const Result<PodResourcesPod> pod = client_->Get({"team", "train"}, In(std::chrono::seconds(5)));
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_EQ(pod->key.ToString(), "team/train");
  ASSERT_THAT(pod->containers, SizeIs(2));  // no ordinary init container
  EXPECT_EQ(pod->containers[0].name, "proxy");
  EXPECT_EQ(pod->containers[1].name, "main");
  EXPECT_THAT(pod->containers[1].device_ids, SizeIs(20));
  EXPECT_THAT(pod->containers[1].device_ids,
              UnorderedElementsAreArray(kubelet_->DeviceIds("uid-1", "main", kCore)));
}

TEST_F(PodResourcesClientTest, ListGivesEveryPod) {
  Begin({});
  const auto pods = client_->List(In(std::chrono::seconds(5)));
  ASSERT_TRUE(pods.ok()) << pods.status().message();
  ASSERT_THAT(*pods, SizeIs(1));
  EXPECT_EQ(pods->front().key.name, "train");
  EXPECT_THAT(pods->front().containers, SizeIs(2));
}

TEST_F(PodResourcesClientTest, AnUnknownPodIsNotFound) {
  Begin({});
  EXPECT_EQ(client_->Get({"team", "other"}, In(std::chrono::seconds(5))).status().code(),
            StatusCode::kNotFound);
}

TEST_F(PodResourcesClientTest, AKubeletWithoutGetSaysUnimplemented) {
  test::FakeKubeletOptions options;
  options.without_get = true;
  Begin(options);
  EXPECT_EQ(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).status().code(),
            StatusCode::kUnimplemented);
  EXPECT_TRUE(client_->List(In(std::chrono::seconds(5))).ok());
}

TEST_F(PodResourcesClientTest, AKubeletWithGetSwitchedOffSaysTheSame) {
  test::FakeKubeletOptions options;
  options.get_disabled = true;
  Begin(options);
  EXPECT_EQ(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).status().code(),
            StatusCode::kUnimplemented);
}

TEST_F(PodResourcesClientTest, ASlowKubeletEndsAtTheDeadline) {
  Begin({});
  kubelet_->DelayPodResources(std::chrono::seconds(2));
  const auto pod = client_->Get({"team", "train"}, In(std::chrono::milliseconds(50)));
  EXPECT_EQ(pod.status().code(), StatusCode::kDeadlineExceeded);
}

TEST_F(PodResourcesClientTest, AFailingKubeletIsUnavailableUntilItAnswers) {
  Begin({});
  kubelet_->FailPodResources(true);
  const auto pod = client_->Get({"team", "train"}, In(std::chrono::seconds(5)));
  EXPECT_EQ(pod.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(pod.status().message(), HasSubstr("PodResources Get of team/train at /tmp/"));
  kubelet_->FailPodResources(false);
  EXPECT_TRUE(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).ok());
}

TEST_F(PodResourcesClientTest, PastTheKubeletsRateTheClientIsToldSo) {
  test::FakeKubeletOptions options;
  options.pod_resources_per_second = 0.001;  // ten at once, then one in 1000 s
  Begin(options);
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).ok());
  }
  EXPECT_EQ(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).status().code(),
            StatusCode::kResourceExhausted);
}

TEST_F(PodResourcesClientTest, AfterARestartOfTheKubeletTheNewSocketIsUsed) {
  Begin({});
  kubelet_->Stop();
  EXPECT_EQ(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).status().code(),
            StatusCode::kUnavailable);
  kubelet_->Start();
  EXPECT_TRUE(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).ok());
}

TEST_F(PodResourcesClientTest, ARestartOfTheKubeletBetweenTwoCallsFailsNeither) {
  Begin({});
  EXPECT_TRUE(client_->Get({"team", "train"}, In(std::chrono::seconds(5))).ok());
  kubelet_->Stop();
  kubelet_->Start();
  const auto pod = client_->Get({"team", "train"}, In(std::chrono::seconds(5)));
  EXPECT_TRUE(pod.ok()) << pod.status().message();
}

TEST(PodResourcesClientAloneTest, WithoutAKubeletItIsUnavailable) {
  SilenceGrpcLog();
  PodResourcesClient client("/tmp/aliquot-is-not-there.sock", kCore);
  const auto pods = client.List(In(std::chrono::seconds(5)));
  EXPECT_EQ(pods.status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace aliquot::agent
