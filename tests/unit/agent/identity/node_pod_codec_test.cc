// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace aliquot::agent {
namespace {

using State = ContainerStatus::State;

// A pod with an init container "i" and an app container "a" of 20 % each, and this status.
std::string PodJson(const std::string& status) {
  const std::string share =
      R"("resources":{"limits":{"tencent.com/vcuda-core":"20","tencent.com/vcuda-memory":"15"}})";
  return R"({"metadata":{"name":"p","namespace":"default","uid":"u1","resourceVersion":"7"},)"
         R"("spec":{"nodeName":"n1","initContainers":[{"name":"i",)" +
         share + R"(}],"containers":[{"name":"a",)" + share + R"(}]},"status":)" + status + "}";
}

NodePod Parsed(const std::string& json) {
  const auto pod = ParseNodePod(json, {});
  EXPECT_TRUE(pod.ok()) << pod.status().message();
  return pod.ok() ? *pod : NodePod();
}

TEST(NodePodCodec, ReadsTheRecordedPod) {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/recorded/kubelet/pod.json");
  std::ostringstream text;
  text << file.rdbuf();
  const NodePod pod = Parsed(text.str());
  EXPECT_EQ(pod.pod.key.ToString(), "default/fix");
  EXPECT_TRUE(pod.acknowledged);
  EXPECT_FALSE(pod.without_sandbox);
  ASSERT_EQ(pod.statuses.size(), 2u);
  EXPECT_EQ(pod.StatusOf("b").state, State::kRunning);
  const SpecAmounts amounts = AmountsOf(*pod.Container("a"), {});
  EXPECT_EQ(amounts.core, 3);
  EXPECT_EQ(amounts.memory_units, 2);
}

TEST(NodePodCodec, ReadsWaitingRunningAndTerminated) {
  const NodePod pod = Parsed(PodJson(
      R"({"startTime":"2026-11-29T13:42:19Z",
          "initContainerStatuses":[{"name":"i","restartCount":2,"containerID":"containerd://x",
            "state":{"terminated":{"exitCode":137}}}],
          "containerStatuses":[{"name":"a","restartCount":0,"state":{"waiting":
            {"reason":"PodInitializing"}}}]})"));
  const ContainerStatus& init = pod.StatusOf("i");
  EXPECT_EQ(init.state, State::kTerminated);
  EXPECT_EQ(init.exit_code, 137);
  EXPECT_EQ(init.restart_count, 2);
  EXPECT_EQ(init.container_id, "containerd://x");
  EXPECT_FALSE(init.completed());
  EXPECT_EQ(pod.StatusOf("a").reason, "PodInitializing");
  EXPECT_TRUE(pod.StatusOf("a").untouched());
  EXPECT_EQ(pod.StatusOf("nobody").state, State::kNone);
}

TEST(NodePodCodec, APodThatTheKubeletHasNotSeenIsNotAcknowledged) {
  EXPECT_FALSE(Parsed(PodJson(R"({"phase":"Pending"})")).acknowledged);
}

TEST(NodePodCodec, ReadsThatThePodHasNoSandbox) {
  const auto with = [](const std::string& value) {
    return Parsed(PodJson(R"({"conditions":[{"type":"PodScheduled","status":"False"},
                              {"type":"PodReadyToStartContainers","status":")" +
                          value + R"("}]})"))
        .without_sandbox;
  };
  EXPECT_TRUE(with("False"));
  EXPECT_FALSE(with("True"));
  EXPECT_FALSE(Parsed(PodJson("{}")).without_sandbox) << "kubelets before 1.29 do not say";
}

TEST(NodePodCodec, RefusesAFieldOfAnotherTypeByItsPath) {
  const auto pod = ParseNodePod(
      PodJson(
          R"({"initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":"x"}}}]})"),
      {});
  ASSERT_FALSE(pod.ok());
  EXPECT_THAT(pod.status().message(),
              ::testing::HasSubstr("status.initContainerStatuses[0].state.terminated.exitCode"));
}

TEST(NodePodCodec, ReadsListsAndWatchEvents) {
  const auto list = ParseNodePodList(
      R"({"metadata":{"resourceVersion":"9","continue":"t"},"items":[)" + PodJson("{}") + "]}", {});
  ASSERT_TRUE(list.ok()) << list.status().message();
  EXPECT_EQ(list->resource_version, "9");
  EXPECT_EQ(list->continue_token, "t");
  EXPECT_EQ(list->items.at(0).pod.uid, "u1");
  const auto event =
      ParseNodePodWatchEvent(R"({"type":"DELETED","object":)" + PodJson("{}") + "}", {});
  ASSERT_TRUE(event.ok()) << event.status().message();
  EXPECT_EQ(event->type, api::WatchEventType::kDeleted);
  EXPECT_EQ(event->resource_version, "7");
  EXPECT_EQ(event->object.pod.uid, "u1");
}

}  // namespace
}  // namespace aliquot::agent
