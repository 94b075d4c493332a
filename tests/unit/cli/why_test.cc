// SPDX-License-Identifier: Apache-2.0
// Each code of `aliquotctl why` (docs/reference/aliquotctl.md) from what could be read of one pod.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/pod_codec.h"
#include "cli/why/evidence.h"
#include "cli/why/no_cards.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using scoring::Refusal;

constexpr char kCore[] = "tencent.com/vcuda-core";
constexpr char kRecord[] =
    R"({"v":1,"uid":"u","node":"a","containers":{"main":{"cards":[{"uuid":"GPU-1","core":20,"mib":256}],"isolation":"auto"}}})";

json GpuPod() {
  return {{"metadata", {{"name", "p"}, {"namespace", "team"}, {"uid", "u"}}},
          {"spec",
           {{"containers", {{{"name", "main"}, {"resources", {{"limits", {{kCore, "20"}}}}}}}}}},
          {"status", {{"phase", "Pending"}}}};
}

PodEvidence Of(const json& pod) {
  PodEvidence evidence;
  evidence.pod = pod;
  const auto parsed = api::ParsePod(pod.dump(), evidence.names);
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  evidence.parsed = *parsed;
  return evidence;
}

json Scheduled(const std::string& message, const std::string& reason = "Unschedulable") {
  json pod = GpuPod();
  pod["status"]["conditions"] = {
      {{"type", "PodScheduled"}, {"status", "False"}, {"reason", reason}, {"message", message}}};
  return pod;
}

json OnNode(const std::string& phase, bool recorded = true) {
  json pod = GpuPod();
  pod["spec"]["nodeName"] = "a";
  pod["status"]["phase"] = phase;
  if (recorded) {
    pod["metadata"]["annotations"] = {{"aliquot.io/allocation", kRecord}};
  }
  return pod;
}

json Waiting(json pod, const std::string& reason, const std::string& message = "") {
  pod["status"]["containerStatuses"] = {
      {{"name", "main"}, {"state", {{"waiting", {{"reason", reason}, {"message", message}}}}}}};
  return pod;
}

SeenEvent Event(const std::string& reason, const std::string& message) {
  SeenEvent event;
  event.reason = reason;
  event.message = message;
  return event;
}

// Nodes n0, n1, .. in the order of their refusals; those that fit come first, as in a report.
explain::Report Report(const std::vector<Refusal>& refusals) {
  explain::Report report;
  for (const Refusal refusal : refusals) {
    explain::NodeReport node;
    node.name = "n" + std::to_string(report.nodes.size());
    node.verdict.refusal = refusal;
    report.fitting += refusal == Refusal::kNone ? 1 : 0;
    report.nodes.push_back(std::move(node));
  }
  for (const Refusal refusal : scoring::kAllRefusals) {
    const auto nodes =
        static_cast<std::size_t>(std::count(refusals.begin(), refusals.end(), refusal));
    if (nodes > 0 && refusal != Refusal::kNone) {
      report.reasons.push_back({refusal, nodes});
    }
  }
  std::stable_sort(report.reasons.begin(), report.reasons.end(),
                   [](const auto& a, const auto& b) { return a.nodes > b.nodes; });
  report.summary = "SUMMARY of " + std::to_string(refusals.size());
  return report;
}

PodEvidence Places(const std::string& message, const std::vector<Refusal>& all,
                   const std::vector<Refusal>& allowed) {
  PodEvidence evidence = Of(Scheduled(message));
  evidence.report = Report(all);
  evidence.allowed = Report(allowed);
  return evidence;
}

const ExcludedNodes kTainted{
    {"taints", "it does not tolerate the taint d=ml:NoSchedule", "add a toleration"}, {"t0", "t1"}};
const ExcludedNodes kElsewhere{{"affinity", "its nodeSelector asks for the label x=y", "change it"},
                               {"e0"}};
constexpr char kFull[] = "0/2 nodes are available: 2 not enough free GPU core or memory.";

TEST(Why, NobodyHasLookedAtIt) {
  const WhyAnswer answer = WhyOf(Of(GpuPod()));
  EXPECT_EQ(answer.code, "no_scheduler");
  EXPECT_NE(answer.sentence.find("spec.schedulerName is default-scheduler"), std::string::npos);
}

TEST(Why, AGroupThatIsNotCompleteIsAnotherReasonForSilence) {
  json pod = GpuPod();
  pod["spec"]["schedulingGroup"] = {{"podGroupName", "g"}};
  EXPECT_NE(WhyOf(Of(pod)).sentence.find("the other pods of its group"), std::string::npos);
}

TEST(Why, AnotherSchedulerSpeaksInEvents) {
  PodEvidence evidence = Of(GpuPod());
  evidence.events = {Event("Unschedulable", "3/1 tasks in gang unschedulable")};
  const WhyAnswer answer = WhyOf(evidence);
  EXPECT_EQ(answer.code, "scheduler");
  EXPECT_EQ(answer.sentence,
            "its latest event says: Unschedulable: 3/1 tasks in gang unschedulable");
}

TEST(Why, AResourceClaimThatIsNotThereComesBeforeAnyScheduler) {
  PodEvidence evidence = Of(GpuPod());
  evidence.resource_claims = {"dev (does not exist)"};
  const WhyAnswer answer = WhyOf(evidence);
  EXPECT_EQ(answer.code, "resource_claim");
  EXPECT_NE(answer.sentence.find("dev (does not exist)"), std::string::npos);
}

TEST(Why, GatesAreNamed) {
  json pod = Scheduled("Scheduling is blocked", "SchedulingGated");
  pod["spec"]["schedulingGates"] = {{{"name", "kueue.x-k8s.io/admission"}}, {{"name", "b"}}};
  const WhyAnswer answer = WhyOf(Of(pod));
  EXPECT_EQ(answer.code, "scheduling_gates");
  EXPECT_NE(answer.sentence.find("kueue.x-k8s.io/admission, b"), std::string::npos);
}

TEST(Why, ARequestThatBreaksTheModelIsToldAsItIs) {
  PodEvidence evidence = Of(Scheduled(kFull));
  evidence.demand_problem = "vcuda-core is 150";
  EXPECT_EQ(WhyOf(evidence).code, "bad_request");
  EXPECT_EQ(WhyOf(evidence).sentence, "vcuda-core is 150");
}

TEST(Why, AnExtenderThatDoesNotAnswerIsToldFromOtherErrors) {
  EXPECT_EQ(WhyOf(Of(Scheduled(R"(Post "https://h/scheduler/filter": connection refused)",
                               "SchedulerError")))
                .code,
            "extender_down");
  EXPECT_EQ(WhyOf(Of(Scheduled("failed filter with extender at URL https://h, code 500",
                               "SchedulerError")))
                .code,
            "extender_down");
  EXPECT_EQ(WhyOf(Of(Scheduled("binding rejected: x", "SchedulerError"))).code, "scheduler_error");
}

TEST(Why, RoomThatIsBeingMadeIsNamed) {
  json pod = Scheduled(kFull);
  pod["status"]["nominatedNodeName"] = "b";
  EXPECT_EQ(WhyOf(Of(pod)).code, "preempting");
  EXPECT_NE(WhyOf(Of(pod)).sentence.find("on node b"), std::string::npos);
}

TEST(Why, TheMostFrequentReasonOfNodesWithCardsIsTheCode) {
  const std::vector<Refusal> refusals{Refusal::kNoInventory, Refusal::kNoInventory,
                                      Refusal::kTooFewIdleCards};
  const WhyAnswer answer = WhyOf(Places(kFull, refusals, refusals));
  EXPECT_EQ(answer.code, "too_few_idle_cards");
  EXPECT_EQ(answer.sentence, "SUMMARY of 3");
}

TEST(Why, FiguresAreGivenWhereTheSumWouldDo) {
  PodEvidence evidence = Places(kFull, {Refusal::kNotOnOneCard}, {Refusal::kNotOnOneCard});
  evidence.fragmented = "fragmented: 60 %";
  EXPECT_EQ(WhyOf(evidence).code, "fragmented");
}

TEST(Why, ATaintOnNodesWithRoomIsTheCauseWhereFewerOthersHaveCards) {
  PodEvidence evidence = Places(kFull, {Refusal::kNone, Refusal::kNone, Refusal::kNotEnoughFree},
                                {Refusal::kNotEnoughFree});
  evidence.excluded = {kTainted};
  const WhyAnswer answer = WhyOf(evidence);
  EXPECT_EQ(answer.code, "taints");
  EXPECT_EQ(answer.sentence,
            "GPUs are free on t0, t1, but it does not tolerate the taint d=ml:NoSchedule; add a "
            "toleration");
}

TEST(Why, WhereMoreNodesItMayUseAreFullThatIsTheCauseAndTheTaintIsMentioned) {
  const std::vector<Refusal> full(3, Refusal::kNotEnoughFree);
  PodEvidence evidence = Places(kFull, {Refusal::kNone, Refusal::kNone}, full);
  evidence.excluded = {kTainted};
  const WhyAnswer answer = WhyOf(evidence);
  EXPECT_EQ(answer.code, "not_enough_free");
  EXPECT_EQ(answer.sentence,
            "SUMMARY of 3; GPUs are free on t0, t1, but it does not tolerate the taint "
            "d=ml:NoSchedule");
}

TEST(Why, ASelectorIsTheCauseOnlyWhereNoNodeItNamesHasCards) {
  PodEvidence evidence =
      Places(kFull, {Refusal::kNone, Refusal::kNoInventory}, {Refusal::kNoInventory});
  evidence.excluded = {kElsewhere};
  EXPECT_EQ(WhyOf(evidence).code, "affinity");
  evidence.allowed = Report({Refusal::kNotEnoughFree});
  EXPECT_EQ(WhyOf(evidence).code, "not_enough_free");
}

TEST(Why, NodesItNamesWithAnotherPluginAreToldBeforeOnesThatItDoesNotName) {
  PodEvidence evidence =
      Places(kFull, {Refusal::kNone, Refusal::kNoInventory}, {Refusal::kNoInventory});
  evidence.excluded = {kElsewhere};
  evidence.old_plugin = {"n0"};
  EXPECT_EQ(WhyOf(evidence).code, "old_plugin");
  evidence.excluded = {kTainted, kElsewhere};
  EXPECT_EQ(WhyOf(evidence).code, "taints");
}

TEST(Why, WhereCardsAreFreeTheSchedulersOtherReasonsCount) {
  const WhyAnswer answer =
      WhyOf(Places("0/4 nodes are available: 1 Insufficient cpu, 3 node(s) had untolerated "
                   "taint(s). preemption: 0/4 nodes are available: 4 No preemption victims found.",
                   {Refusal::kNone}, {Refusal::kNone}));
  EXPECT_EQ(answer.code, "cpu_or_memory");
  EXPECT_EQ(answer.sentence,
            "GPUs are free for it on n0, but the nodes lack processor; ask for less, or wait until "
            "pods end; the scheduler says: 3 node(s) had untolerated taint(s), 1 Insufficient cpu");
}

TEST(Why, ATextThatIsOlderThanTheClusterIsCalledThat) {
  const WhyAnswer answer =
      WhyOf(Places("0/1 nodes are available: 1 Insufficient " + std::string(kCore) + ".",
                   {Refusal::kNone}, {Refusal::kNone}));
  EXPECT_EQ(answer.code, "scheduler");
  EXPECT_NE(answer.sentence.find("GPUs are free for it on n0 now"), std::string::npos);
}

TEST(Why, AgentsThatAreGoneAreNamed) {
  PodEvidence evidence =
      Places("0/1 nodes are available: 1 Insufficient " + std::string(kCore) + ".",
             {Refusal::kNone}, {Refusal::kNone});
  evidence.silent_agents = {"n0"};
  EXPECT_EQ(WhyOf(evidence).code, "agents_gone");
  EXPECT_NE(WhyOf(evidence).sentence.find("now: n0;"), std::string::npos);
}

TEST(Why, NoPublishedCardsAtAllIsNoAgentsOrAnotherPlugin) {
  PodEvidence evidence =
      Places("0/1 nodes are available: 1 x.", {Refusal::kNoInventory}, {Refusal::kNoInventory});
  EXPECT_EQ(WhyOf(evidence).code, "no_agents");
  evidence.old_plugin = {"n0", "n1", "n2", "n3", "n4"};
  EXPECT_EQ(WhyOf(evidence).code, "old_plugin");
  EXPECT_NE(WhyOf(evidence).sentence.find("n0, n1, n2 and 2 more"), std::string::npos);
}

TEST(Why, AClaimThatIsNotBoundIsNamed) {
  PodEvidence evidence =
      Places("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
             {Refusal::kNone}, {Refusal::kNone});
  evidence.unbound_claims = {"data (Pending)"};
  const WhyAnswer answer = WhyOf(evidence);
  EXPECT_EQ(answer.code, "volume");
  EXPECT_EQ(answer.sentence,
            "a volume claim is not bound: data (Pending); see the claim's events; the scheduler "
            "says: pod has unbound immediate PersistentVolumeClaims");
}

TEST(Why, NoNodeAtAll) {
  EXPECT_EQ(WhyOf(Places("no nodes available to schedule pods", {}, {})).code, "no_nodes");
}

TEST(Why, ATextOfANewKindIsShown) {
  const WhyAnswer answer = WhyOf(Of(Scheduled("0/2 nodes are available: 2 node(s) sulk.")));
  EXPECT_EQ(answer.code, "scheduler");
  EXPECT_EQ(answer.sentence, "the scheduler says: 2 node(s) sulk");
}

TEST(Why, ARunningPodIsToldItsNodeAndCards) {
  PodEvidence evidence = Of(OnNode("Running"));
  evidence.held = {"container main holds GPU-1 (20 %, 256 MiB)"};
  EXPECT_EQ(WhyOf(evidence).code, "running");
  EXPECT_EQ(WhyOf(evidence).sentence,
            "it runs on node a: container main holds GPU-1 (20 %, 256 MiB)");
}

TEST(Why, WhatTheAgentWarnsOfFollowsUntilItIsOver) {
  PodEvidence evidence = Of(OnNode("Running"));
  evidence.held = {"x"};
  evidence.events = {Event("GpuUnhealthy", "xid-79"), Event("GpuRecovered", "ok")};
  EXPECT_EQ(WhyOf(evidence).sentence, "it runs on node a: x; GpuUnhealthy: xid-79");
  std::swap(evidence.events[0], evidence.events[1]);
  EXPECT_EQ(WhyOf(evidence).sentence, "it runs on node a: x");
}

TEST(Why, ARestartInThePastIsMentioned) {
  json pod = OnNode("Running");
  pod["status"]["containerStatuses"] = {
      {{"name", "main"},
       {"restartCount", 1},
       {"state", {{"running", json::object()}}},
       {"lastState", {{"terminated", {{"reason", "OOMKilled"}, {"exitCode", 137}}}}}}};
  const WhyAnswer answer = WhyOf(Of(pod));
  EXPECT_EQ(answer.code, "running");
  EXPECT_NE(answer.sentence.find("container main was restarted once, the last time after OOMKilled "
                                 "(exit code 137)"),
            std::string::npos);
}

json Crashing(const std::string& how, int code) {
  json pod = Waiting(OnNode("Running"), "CrashLoopBackOff", "back-off 5m0s restarting");
  json& status = pod["status"]["containerStatuses"][0];
  status["restartCount"] = 5;
  status["lastState"] = {{"terminated", {{"reason", how}, {"exitCode", code}}}};
  return pod;
}

TEST(Why, AContainerThatEndsAgainAndAgainIsToldHow) {
  const WhyAnswer crash = WhyOf(Of(Crashing("Error", 1)));
  EXPECT_EQ(crash.code, "crash_loop");
  EXPECT_EQ(crash.sentence,
            "on node a, container main ends again and again (Error, exit code 1, restarted 5 "
            "times); see kubectl logs --previous");
  const WhyAnswer killed = WhyOf(Of(Crashing("OOMKilled", 137)));
  EXPECT_EQ(killed.code, "oom_killed");
  EXPECT_NE(killed.sentence.find("raise its limits.memory"), std::string::npos);
}

TEST(Why, AnImageThatCannotBePulledIsTold) {
  for (const char* reason : {"ImagePullBackOff", "ErrImagePull", "InvalidImageName"}) {
    const WhyAnswer answer = WhyOf(Of(Waiting(OnNode("Pending"), reason, "no such host")));
    EXPECT_EQ(answer.code, "image") << reason;
    EXPECT_NE(answer.sentence.find("no such host"), std::string::npos);
  }
}

// As the kubelet writes it: pkg/kubelet/cm/devicemanager/manager.go.
constexpr char kPreStart[] =
    "device plugin PreStartContainer rpc failed with err: rpc error: code = ";

TEST(Why, TheAgentsRefusalIsReadFromTheContainerAlone) {
  const WhyAnswer answer =
      WhyOf(Of(Waiting(OnNode("Pending"), "CreateContainerConfigError",
                       std::string(kPreStart) +
                           "FailedPrecondition desc = card_unhealthy: container main has GPU-1")));
  EXPECT_EQ(answer.code, "agent_refused");
  EXPECT_EQ(answer.sentence,
            "on node a, container main is refused its cards by the node's agent: card_unhealthy: "
            "container main has GPU-1; it starts by itself once that is over");
}

TEST(Why, AnAgentThatDoesNotAnswerIsToldFromARefusal) {
  const WhyAnswer answer = WhyOf(Of(
      Waiting(OnNode("Pending"), "CreateContainerConfigError",
              std::string(kPreStart) + "Unavailable desc = connection error: desc = \"transport: "
                                       "Error while dialing: connection refused\"")));
  EXPECT_EQ(answer.code, "agent_silent");
}

TEST(Why, TheAgentsRefusalIsReadFromItsEvent) {
  PodEvidence evidence = Of(OnNode("Pending"));
  evidence.events = {Event("GpuGrantRefused", "container main: card_busy: GPU-1")};
  EXPECT_EQ(WhyOf(evidence).code, "agent_refused");
  EXPECT_NE(WhyOf(evidence).sentence.find("card_busy: GPU-1"), std::string::npos);
}

TEST(Why, OtherNewsOfTheAgentIsNoRefusal) {
  PodEvidence evidence = Of(OnNode("Pending"));
  evidence.events = {Event("GpuRecovered", "well again")};
  EXPECT_EQ(WhyOf(evidence).code, "starting");
}

TEST(Why, AWaitingContainerIsToldAsTheKubeletSays) {
  const WhyAnswer answer =
      WhyOf(Of(Waiting(OnNode("Pending"), "CreateContainerConfigError", "secret \"x\" not found")));
  EXPECT_EQ(answer.code, "container_waiting");
  EXPECT_NE(answer.sentence.find("secret \"x\" not found"), std::string::npos);
}

TEST(Why, AStartThatTakesTimeIsStarting) {
  EXPECT_EQ(WhyOf(Of(Waiting(OnNode("Pending"), "ContainerCreating"))).code, "starting");
  PodEvidence evidence = Of(OnNode("Pending"));
  evidence.events = {Event("FailedMount", "secret gone"), Event("Pulled", "x")};
  EXPECT_EQ(WhyOf(evidence).code, "starting");
  EXPECT_NE(WhyOf(evidence).sentence.find("FailedMount: secret gone"), std::string::npos);
}

TEST(Why, APodWithoutARecordIsToldWhoWritesIt) {
  PodEvidence evidence = Of(OnNode("Pending", /*recorded=*/false));
  EXPECT_EQ(WhyOf(evidence).code, "no_record");
  evidence.events = {Event("NoGpuOnNode", "bound to a without this extender")};
  EXPECT_EQ(WhyOf(evidence).code, "no_cards_on_node");
}

TEST(Why, WhatHasEndedIsToldHow) {
  EXPECT_EQ(WhyOf(Of(OnNode("Succeeded"))).code, "succeeded");
  json failed = OnNode("Failed");
  failed["status"]["containerStatuses"] = {
      {{"name", "main"}, {"state", {{"terminated", {{"reason", "Error"}, {"exitCode", 3}}}}}}};
  EXPECT_EQ(WhyOf(Of(failed)).code, "failed");
  EXPECT_EQ(WhyOf(Of(failed)).sentence,
            "it has failed on node a: container main ended with exit code 3 (Error); see kubectl "
            "logs");
  failed["status"]["containerStatuses"][0]["state"]["terminated"]["reason"] = "OOMKilled";
  EXPECT_NE(WhyOf(Of(failed)).sentence.find("killed for main memory"), std::string::npos);
  failed["status"]["reason"] = "DeadlineExceeded";
  EXPECT_EQ(WhyOf(Of(failed)).sentence.substr(0, 43),
            "it has failed on node a: DeadlineExceeded; ");
}

TEST(Why, AnEvictedOrRefusedPodIsToldThatItStaysSo) {
  json pod = OnNode("Failed");
  pod["status"]["reason"] = "Evicted";
  pod["status"]["message"] = "The node was low on resource: memory.";
  EXPECT_EQ(WhyOf(Of(pod)).code, "evicted");
  EXPECT_NE(WhyOf(Of(pod)).sentence.find("low on resource: memory"), std::string::npos);
  pod["status"]["reason"] = "UnexpectedAdmissionError";
  EXPECT_EQ(WhyOf(Of(pod)).code, "kubelet_refused");
}

TEST(Why, APodThatIsTakenAwayIsToldByWhom) {
  json pod = OnNode("Running");
  pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  pod["metadata"]["finalizers"] = {"example.com/hold"};
  pod["status"]["conditions"] = {{{"type", "DisruptionTarget"},
                                  {"status", "True"},
                                  {"reason", "PreemptionByScheduler"},
                                  {"message", "preempting to accommodate a higher priority pod"}}};
  const WhyAnswer answer = WhyOf(Of(pod));
  EXPECT_EQ(answer.code, "terminating");
  EXPECT_NE(answer.sentence.find("PreemptionByScheduler: preempting"), std::string::npos);
  EXPECT_NE(answer.sentence.find("finalizers"), std::string::npos);
}

TEST(Why, APodWithoutOurResourcesIsToldSo) {
  json pod = Scheduled("0/1 nodes are available: 1 node(s) were unschedulable.");
  pod["spec"]["containers"][0].erase("resources");
  const WhyAnswer answer = WhyOf(Of(pod));
  EXPECT_EQ(answer.code, "cordoned");
  EXPECT_NE(answer.sentence.find("Aliquot has no part in it"), std::string::npos);
}

TEST(Why, TextFromElsewhereStaysOnOneLine) {
  json pod = Scheduled("0/1 nodes are available: 1 line\nbreak.");
  EXPECT_EQ(WhyOf(Of(pod)).sentence.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace aliquot::cli
