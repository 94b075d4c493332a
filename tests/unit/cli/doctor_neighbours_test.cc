// SPDX-License-Identifier: Apache-2.0
// What else is in the cluster: other sharers, NVIDIA's container runtime, proxies.
#include <gtest/gtest.h>

#include "cli/doctor/loose_pod.h"
#include "cli/doctor/no_proxy.h"
#include "tests/unit/cli/doctor_observation.h"

namespace aliquot::cli {
namespace {

TEST(DoctorNeighbours, TheSameCardsOfferedTwiceFail) {
  Observation seen = Well();
  seen.nodes->front().advertises_nvidia = true;
  ExpectFinding(seen, "nvidia-plugin", Verdict::kFailed, "deploy.device-plugin=false");
  // A node without our inventory is none of our business.
  seen.nodes->front().has_inventory = false;
  ExpectFinding(seen, "nvidia-plugin", Verdict::kOk, "");
  seen.nodes->front() = {"n1", true, true, false, "true"};
  ExpectFinding(seen, "nvidia-plugin", Verdict::kWarning, "Operator");
}

TEST(DoctorNeighbours, HamiAndGpuManagerAreFound) {
  Observation seen = Well();
  seen.webhooks->push_back({{"metadata", {{"name", "hami-webhook"}}}});
  ExpectFinding(seen, "hami", Verdict::kWarning, "hami-webhook");
  seen.daemon_sets->push_back(DaemonSet("kube-system", "gpu-manager-daemonset", 3, 3));
  ExpectFinding(seen, "gpu-manager", Verdict::kWarning, "3 nodes");
}

TEST(DoctorNeighbours, ALabelThatPlacesGpuManagerOnANodeOfOursFails) {
  Observation seen = Well();
  seen.nodes->front().for_gpu_manager = true;
  ExpectFinding(seen, "gpu-manager", Verdict::kFailed,
                "kubectl label node n1 nvidia-device-enable-");
  seen.nodes->front().has_inventory = false;
  ExpectFinding(seen, "gpu-manager", Verdict::kOk, "");
}

TEST(DoctorNeighbours, VolcanosAndKaisSharesOnOurNodesFail) {
  Observation seen = Well();
  seen.nodes->front().advertises_volcano = true;
  ExpectFinding(seen, "volcano-vgpu", Verdict::kFailed, "n1");
  json pod = {{"metadata", {{"namespace", "ml"}, {"name", "sharer"}}},
              {"spec", {{"nodeName", "n1"}}}};
  seen.kai_pods->push_back(pod);
  ExpectFinding(seen, "kai", Verdict::kFailed, "ml/sharer");
  seen.kai_pods->front()["status"]["phase"] = "Succeeded";
  ExpectFinding(seen, "kai", Verdict::kOk, "");
  seen.kai_pods->front() = pod;
  seen.kai_pods->front()["spec"]["nodeName"] = "n9";  // none of ours
  ExpectFinding(seen, "kai", Verdict::kOk, "");
}

TEST(DoctorRuntime, NodesWhoseRuntimesAreAllSomebodyElsesAreFree) {
  Observation seen = Well();
  seen.runtime_classes->push_back(RuntimeClass("nvidia", "nvidia"));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kOk, "no node");
  // A runtime that does not say what it has may have it.
  seen.nodes->front().runtime_handlers.clear();
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "RuntimeClass nvidia");
  seen.runtime_classes->clear();
  ExpectFinding(seen, "nvidia-runtime", Verdict::kUnknown, "crictl info");
  // A node without cards of ours is none of our business.
  seen.nodes->front().has_inventory = false;
  ExpectFinding(seen, "nvidia-runtime", Verdict::kOk, "");
}

TEST(DoctorRuntime, ARuntimeClassOrARuntimeThatMayBeTheDefaultIsWarnedOf) {
  Observation seen = Well();
  seen.nodes->front().runtime_handlers = {"", "runc", "nvidia"};
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "defaultRuntimeName");
  seen.runtime_classes->push_back(RuntimeClass("gpu", "nvidia-cdi"));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "nvidia-ctk config --in-place");
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "RuntimeClass gpu");
}

TEST(DoctorRuntime, PodsThatRunByItAndAskedForNoCardFail) {
  Observation seen = Well();
  seen.nodes->front().runtime_handlers = {"runc", "nvidia"};
  seen.runtime_classes->push_back(RuntimeClass("nvidia", "nvidia"));
  seen.loose_pods->push_back({"team/greedy", "n1", "nvidia", false});
  ExpectFinding(seen, "nvidia-runtime", Verdict::kFailed, "1 pod on nodes");
  ExpectFinding(seen, "nvidia-runtime", Verdict::kFailed, "team/greedy");
  // On another node, or by another RuntimeClass.
  seen.loose_pods->front().node = "n9";
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "");
  seen.loose_pods->front() = {"team/kata", "n1", "kata", true};
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "");
  // By the default runtime: only where that is known to be NVIDIA's.
  seen.loose_pods->front() = {"team/plain", "n1", "", true};
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "");
  seen.daemon_sets->push_back(ToolkitSet(json::array()));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kFailed, "team/plain");
}

TEST(DoctorRuntime, TheRemedySparesAnAgentThatTakesItsCardsByTheVariable) {
  Observation seen = Well();
  seen.nodes->front().runtime_handlers = {"runc", "nvidia"};
  json& containers = seen.daemon_sets->front()["spec"]["template"]["spec"]["containers"];
  const json cards = Variable("NVIDIA_VISIBLE_DEVICES", "all");
  containers = {{{"name", "agent"}, {"env", json::array({cards})}}};
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "is nvidia, first set the chart's");
  seen.runtime_classes->push_back(RuntimeClass("nvidia", "nvidia"));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "agent.cardAccess to privileged");
  seen.loose_pods->push_back({"team/greedy", "n1", "nvidia", false});
  ExpectFinding(seen, "nvidia-runtime", Verdict::kFailed, "agent.cardAccess to privileged");
}

TEST(DoctorRuntime, TheOperatorsToolkitIsJudgedByItsEnvironment) {
  Observation seen = Well();
  seen.nodes->front().runtime_handlers = {"runc", "nvidia"};
  seen.daemon_sets->push_back(ToolkitSet(json::array()));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "makes nvidia the default runtime");
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "clusterpolicies.nvidia.com");
  seen.daemon_sets->back() =
      ToolkitSet(json::array({Variable("NVIDIA_RUNTIME_SET_AS_DEFAULT", "false")}));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "defaultRuntimeName");
  seen.daemon_sets->back() = ToolkitSet(
      json::array({Variable("ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED", "false")}));
  ExpectFinding(seen, "nvidia-runtime", Verdict::kOk, "unprivileged");
  // The DaemonSet is there, and runs nowhere.
  seen.daemon_sets->back()["status"]["desiredNumberScheduled"] = 0;
  ExpectFinding(seen, "nvidia-runtime", Verdict::kWarning, "defaultRuntimeName");
}

TEST(DoctorRuntime, APodIsLooseUnlessItAsksIsSomebodysOwnOrTakesNoCard) {
  const json pod = {
      {"metadata", {{"namespace", "team"}, {"name", "p"}}},
      {"spec",
       {{"nodeName", "n1"}, {"runtimeClassName", "nvidia"}, {"containers", {{{"name", "a"}}}}}}};
  const auto loose = LoosePodOf(pod, "tencent.com/vcuda-");
  ASSERT_TRUE(loose);
  EXPECT_EQ(loose->name, "team/p");
  EXPECT_EQ(loose->runtime_class, "nvidia");
  EXPECT_FALSE(loose->names_cards);
  const auto with = [&pod](const char* pointer, const json& value) {
    json changed = pod;
    changed[json::json_pointer(pointer)] = value;
    return LoosePodOf(changed, "tencent.com/vcuda-");
  };
  EXPECT_TRUE(
      with("/spec/containers/0/env", json::array({Variable("NVIDIA_VISIBLE_DEVICES", "all")}))
          ->names_cards);
  EXPECT_FALSE(
      with("/spec/containers/0/env", json::array({Variable("NVIDIA_VISIBLE_DEVICES", "void")})));
  EXPECT_FALSE(with("/spec/nodeName", ""));
  EXPECT_FALSE(with("/status/phase", "Failed"));
  EXPECT_FALSE(with("/metadata/ownerReferences", json::array({{{"kind", "DaemonSet"}}})));
  EXPECT_TRUE(with("/metadata/ownerReferences", json::array({{{"kind", "ReplicaSet"}}})));
  EXPECT_FALSE(with("/spec/containers/0/resources/limits", {{"nvidia.com/gpu", "1"}}));
  EXPECT_FALSE(with("/spec/containers/0/resources/limits", {{"tencent.com/vcuda-core", "1"}}));
}

TEST(DoctorProxy, OneThatTheApiServerUsesForTheWebhookIsWarnedOf) {
  Observation seen = Well();
  const json proxy = Variable("HTTPS_PROXY", "http://user:secret@proxy:3128");
  seen.control_plane->front() = ControlPlanePod("kube-apiserver", json::array({proxy}));
  ExpectFinding(seen, "proxy", Verdict::kWarning, "aliquot-admission.aliquot-system.svc");
  EXPECT_EQ(Of(seen, "proxy").says.find("secret"), std::string::npos);
  seen.control_plane->front() =
      ControlPlanePod("kube-apiserver", {proxy, Variable("no_proxy", "10.0.0.0/8,.svc")});
  ExpectFinding(seen, "proxy", Verdict::kOk, "");
  // Its address does not help: the API server calls the Service by name.
  seen.control_plane->front() =
      ControlPlanePod("kube-apiserver", {proxy, Variable("NO_PROXY", "10.0.0.0/8")});
  ExpectFinding(seen, "proxy", Verdict::kWarning, "kube-apiserver.yaml");
  seen.control_plane->clear();
  ExpectFinding(seen, "proxy", Verdict::kUnknown, "kube-apiserver");
}

TEST(DoctorProxy, TheClustersSchedulerCountsInStockModeOnly) {
  Observation seen = Well();
  seen.extender_service = json{{"spec", {{"clusterIP", "10.96.1.2"}}}};
  seen.control_plane->push_back(ControlPlanePod(
      "kube-scheduler", json::array({Variable("https_proxy", "http://proxy:3128")})));
  ExpectFinding(seen, "proxy", Verdict::kOk, "");
  seen.scheduler = NotFound("stock");
  ExpectFinding(seen, "proxy", Verdict::kWarning, "10.96.1.2");
  seen.control_plane->back() = ControlPlanePod(
      "kube-scheduler",
      {Variable("https_proxy", "http://proxy:3128"), Variable("NO_PROXY", "10.96.0.0/12")});
  ExpectFinding(seen, "proxy", Verdict::kOk, "");
}

TEST(NoProxy, IsReadAsProgramsInGoReadIt) {
  constexpr char kHost[] = "aliquot-admission.aliquot-system.svc";
  for (const char* left_out :
       {"*", ".svc", "svc", "*.svc", "a, .SVC ,b", kHost, "aliquot-system.svc:443"}) {
    EXPECT_TRUE(LeavesOut(left_out, kHost)) << left_out;
  }
  for (const char* kept : {"", ",", "vc", ".svc.cluster.local", "10.96.0.0/12",
                           ".aliquot-admission.aliquot-system.svc"}) {
    EXPECT_FALSE(LeavesOut(kept, kHost)) << kept;
  }
  EXPECT_TRUE(LeavesOut("192.168.0.1,10.96.0.0/12", "10.111.0.1"));
  EXPECT_FALSE(LeavesOut("10.96.0.0/12", "10.112.0.1"));
  EXPECT_TRUE(LeavesOut("10.1.2.3", "10.1.2.3"));
  EXPECT_FALSE(LeavesOut("10.1.2.3", "10.1.2.30"));
  EXPECT_TRUE(LeavesOut("fd00::/8", "fd00::1"));
  EXPECT_FALSE(LeavesOut("0.0.0.0/0", "fd00::1"));
  EXPECT_FALSE(LeavesOut("10.0.0.0/99", "10.0.0.0"));
}

}  // namespace
}  // namespace aliquot::cli
