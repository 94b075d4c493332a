// SPDX-License-Identifier: Apache-2.0
#include "cli/version/versions.h"

#include <gtest/gtest.h>

namespace aliquot::cli {
namespace {

using nlohmann::json;

json PodOf(const std::string& part, const std::string& image, const std::string& label = "") {
  json pod = {
      {"metadata", {{"name", "p"}, {"labels", {{"app.kubernetes.io/name", "aliquot-" + part}}}}},
      {"spec", {{"containers", {{{"name", part}, {"image", image}}}}}},
      {"status", {{"phase", "Running"}}}};
  if (!label.empty()) {
    pod["metadata"]["labels"]["app.kubernetes.io/version"] = label;
  }
  return pod;
}

std::string VersionOf(const std::string& image, const std::string& label) {
  ClusterVersions versions;
  CountPod(PodOf("agent", image, label), versions);
  return versions.agents.at(0).version;
}

TEST(Versions, TheTagOfTheImageWinsOverTheLabelWhereItIsAVersion) {
  EXPECT_EQ(VersionOf("aliquot-agent:0.2.0", "0.1.0"), "0.2.0");
  EXPECT_EQ(VersionOf("registry:5000/team/aliquot-agent:v0.2.0-rc.1@sha256:12ab", "0.1.0"),
            "0.2.0-rc.1");
  EXPECT_EQ(VersionOf("registry:5000/aliquot-agent", "0.1.0"), "0.1.0");
  EXPECT_EQ(VersionOf("aliquot-agent@sha256:12ab", "0.1.0"), "0.1.0");
  EXPECT_EQ(VersionOf("aliquot-agent:stable", "0.1.0"), "0.1.0");
  EXPECT_EQ(VersionOf("aliquot-agent:stable", ""), "unknown");
}

TEST(Versions, PodsAreCountedByPartAndImageAndThoseThatEndAreNot) {
  ClusterVersions versions;
  for (const char* image : {"a:0.2.0", "a:0.1.0", "b:0.2.0", "a:0.2.0"}) {
    CountPod(PodOf("agent", image), versions);
  }
  CountPod(PodOf("allocator", "x:0.2.0"), versions);
  CountPod(PodOf("scheduler", "kube-scheduler:v1.34.0"), versions);
  json failed = PodOf("agent", "a:0.1.0");
  failed["status"]["phase"] = "Failed";
  CountPod(failed, versions);
  json going = PodOf("agent", "a:0.1.0");
  going["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  CountPod(going, versions);
  CountPod(json::object(), versions);
  ASSERT_EQ(versions.allocators.size(), 1u);
  ASSERT_EQ(versions.agents.size(), 3u);
  EXPECT_EQ(versions.agents[0].image, "a:0.1.0");
  EXPECT_EQ(versions.agents[0].pods, 1);
  EXPECT_EQ(versions.agents[1].image, "a:0.2.0");
  EXPECT_EQ(versions.agents[1].pods, 2);
  EXPECT_EQ(versions.agents[2].image, "b:0.2.0");
}

TEST(Versions, TheContainerOfThePartIsLookedAtAndNotOneThatAWebhookPutBeforeIt) {
  json pod = PodOf("agent", "aliquot-agent:0.2.0");
  json& containers = pod["spec"]["containers"];
  containers.insert(containers.begin(), json({{"name", "mesh"}, {"image", "mesh:9.9.9"}}));
  ClusterVersions versions;
  CountPod(pod, versions);
  EXPECT_EQ(versions.agents.at(0).version, "0.2.0");
}

TEST(Versions, ASkewIsOneSentenceAndWhatIsNotKnownIsNone) {
  ClusterVersions versions;
  versions.allocators = {{"0.2.0", "x", 1}};
  versions.agents = {{"0.2.0", "a", 40}, {"0.2.0", "b", 8}};
  EXPECT_EQ(Skew("0.2.0", versions), "");
  versions.agents.push_back({"unknown", "c", 1});
  EXPECT_EQ(Skew("0.2.0", versions), "");
  versions.agents.insert(versions.agents.begin(), {"0.1.0", "a", 1});
  EXPECT_EQ(Skew("0.2.0", versions),
            "not all are of one version: aliquotctl is 0.2.0, the allocator is 0.2.0, one agent is "
            "0.1.0, 48 agents are 0.2.0, one agent is unknown; finish the upgrade, and use the "
            "aliquotctl of the allocator's version");
  versions.agents.clear();
  EXPECT_NE(Skew("0.3.0", versions), "");
}

}  // namespace
}  // namespace aliquot::cli
