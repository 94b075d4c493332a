// SPDX-License-Identifier: Apache-2.0
// kube-scheduler's texts, taken apart; those of tests/data/kube-scheduler are its own.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "api/pod_codec.h"
#include "cli/why/scheduler_cause.h"
#include "cli/why/scheduler_message.h"
#include "cli/why/unbound.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

std::string CodeOf(const std::string& message, bool passed_ours = false) {
  return ChooseCause(ParseSchedulerMessage(message), model::ResourceNames(), passed_ours).code;
}

TEST(SchedulerMessage, CountsAndReasonsComeApartTheMostNodesFirst) {
  const SchedulerMessage message = ParseSchedulerMessage(
      "0/27 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 25 "
      "node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: "
      "0/27 nodes are available: 27 Preemption is not helpful for scheduling.");
  EXPECT_EQ(message.nodes, 27);
  EXPECT_EQ(message.for_all, "");
  ASSERT_EQ(message.reasons.size(), 3u);
  EXPECT_EQ(message.reasons[0].nodes, 25);
  EXPECT_EQ(message.reasons[0].text, "node(s) didn't match Pod's node affinity/selector");
  EXPECT_EQ(message.reasons[1].text, "Insufficient cpu");
  EXPECT_EQ(message.reasons[2].text, "node(s) had untolerated taint(s)");
  EXPECT_EQ(message.Text(),
            "25 node(s) didn't match Pod's node affinity/selector, 1 Insufficient cpu, 1 node(s) "
            "had untolerated taint(s)");
}

TEST(SchedulerMessage, AReasonForAllNodesHasNoCount) {
  const SchedulerMessage message = ParseSchedulerMessage(
      R"(0/3 nodes are available: persistentvolumeclaim "data.v1" not found. not found)");
  EXPECT_EQ(message.nodes, 3);
  EXPECT_EQ(message.for_all, R"(persistentvolumeclaim "data.v1" not found)");
  EXPECT_TRUE(message.reasons.empty());
}

TEST(SchedulerMessage, ACommaWithinAReasonDoesNotEndIt) {
  const SchedulerMessage message = ParseSchedulerMessage(
      "0/5 nodes are available: 2 the pod fits in sum, not on one card, 3 Insufficient memory.");
  ASSERT_EQ(message.reasons.size(), 2u);
  EXPECT_EQ(message.reasons[0].text, "Insufficient memory");
  EXPECT_EQ(message.reasons[1].text, "the pod fits in sum, not on one card");
}

TEST(SchedulerMessage, AReasonWithoutAWordIsLeftOut) {
  // Of an extender that refuses a node with an empty text.
  const std::string text = "0/3 nodes are available: 1 , 2 Insufficient cpu.";
  const SchedulerMessage message = ParseSchedulerMessage(text);
  EXPECT_EQ(message.nodes, 3);
  ASSERT_EQ(message.reasons.size(), 1u);
  EXPECT_EQ(message.reasons[0].nodes, 2);
  EXPECT_EQ(message.reasons[0].text, "Insufficient cpu");
  EXPECT_EQ(CodeOf(text), "cpu_or_memory");
}

TEST(SchedulerMessage, ATextOfAnotherFormIsAReasonForAll) {
  for (const char* text : {"no nodes available to schedule pods", "0/", "0/x nodes are available:",
                           "0/99999999999999999999 nodes are available: 1 x", "12 monkeys", ""}) {
    const SchedulerMessage message = ParseSchedulerMessage(text);
    EXPECT_EQ(message.for_all, text);
    EXPECT_EQ(message.nodes, -1);
  }
  const SchedulerMessage empty = ParseSchedulerMessage("0/3 nodes are available:");
  EXPECT_EQ(empty.nodes, 3);
  EXPECT_EQ(empty.Text(), "");
}

TEST(SchedulerCause, WhatPreemptionSaysDecidesNothing) {
  EXPECT_EQ(CodeOf("0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are "
                   "available: 2 node(s) had untolerated taint(s)."),
            "cpu_or_memory");
}

TEST(SchedulerCause, TheMostNodesDecideBetweenTaintsAndLabels) {
  EXPECT_EQ(CodeOf("0/9 nodes are available: 3 node(s) had untolerated taint(s), 6 node(s) didn't "
                   "match Pod's node affinity/selector."),
            "affinity");
  EXPECT_EQ(CodeOf("0/9 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, "
                   "6 node(s) had untolerated taint(s)."),
            "taints");
}

TEST(SchedulerCause, ANodeThatCameNearerTellsMore) {
  EXPECT_EQ(CodeOf("0/9 nodes are available: 2 Insufficient tencent.com/vcuda-core, 7 node(s) "
                   "didn't match Pod's node affinity/selector."),
            "not_enough_free");
  EXPECT_EQ(CodeOf("0/9 nodes are available: 1 node(s) didn't have free ports for the requested "
                   "pod ports, 8 node(s) had untolerated taint(s)."),
            "host_ports");
  EXPECT_EQ(CodeOf("0/9 nodes are available: 1 not enough idle GPUs, 8 Insufficient cpu."),
            "too_few_idle_cards");
}

TEST(SchedulerCause, WhatNodesWithoutCardsLackBesidesIsNoNews) {
  // All eight that lack processor lack cards, too.
  EXPECT_EQ(CodeOf("0/9 nodes are available: 1 node(s) had untolerated taint(s), 8 Insufficient "
                   "cpu, 8 Insufficient tencent.com/vcuda-core."),
            "not_enough_free");
  // One has cards and lacks processor.
  EXPECT_EQ(CodeOf("0/9 nodes are available: 1 node(s) had untolerated taint(s), 7 Insufficient "
                   "tencent.com/vcuda-core, 8 Insufficient cpu."),
            "cpu_or_memory");
}

TEST(SchedulerCause, WhereNodesAndCardsWouldDoItIsNeitherOfThem) {
  EXPECT_EQ(CodeOf("0/9 nodes are available: 1 Too many pods, 8 node(s) had untolerated taint(s).",
                   /*passed_ours=*/true),
            "too_many_pods");
  EXPECT_EQ(CodeOf("0/9 nodes are available: 9 node(s) had untolerated taint(s).", true), "");
}

TEST(SchedulerCause, EverySentenceOfOurExtenderIsKnownByItsName) {
  for (const scoring::Refusal refusal : scoring::kAllRefusals) {
    if (refusal != scoring::Refusal::kNone) {
      const std::string sentence(scoring::RefusalSentence(refusal));
      EXPECT_EQ(CodeOf("0/2 nodes are available: 2 " + sentence + "."),
                scoring::RefusalName(refusal));
    }
  }
}

TEST(SchedulerCause, AnUnknownTextHasNoCode) {
  EXPECT_EQ(CodeOf("0/2 nodes are available: 2 node(s) were not to its liking."), "");
  EXPECT_EQ(CodeOf("something new"), "");
}

// Texts that 1.34 and 1.37 have and the recordings have not, by the ErrReason constants of the
// plugins.
TEST(SchedulerCause, EveryConstantOfThePluginsIsKnown) {
  const std::pair<const char*, const char*> texts[] = {
      {"node(s) exceed max volume count", "volume"},
      {"node(s) did not have enough free storage", "volume"},
      {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", "volume"},
      {"node(s) had no available volume zone", "volume"},
      {"node(s) had no available disk", "volume"},
      {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already "
       "in-use by another pod",
       "volume"},
      {"csi.example.com CSI driver is not installed on the node", "volume"},
      {"node(s) had volume node affinity conflict", "volume"},
      {"node(s) didn't match pod topology spread constraints", "topology_spread"},
      {"node(s) didn't match scheduler-enforced node affinity", "affinity"},
      {"node(s) didn't match the requested node name", "affinity"},
      {"node(s) didn't satisfy plugin(s) [NodeAffinity]", "affinity"},
      {"node(s) didn't satisfy plugin(s) [VolumeBinding]", "volume"},
      {"node(s) had untolerated taint {gpu: true}", "taints"},  // 1.33
      {"Insufficient ephemeral-storage", "cpu_or_memory"},
      {"Insufficient hugepages-2Mi", "cpu_or_memory"},
      {"cannot allocate all claims", "resource_claim"},
      {"resourceclaim in use", "resource_claim"},
      {"timed out trying to allocate devices", "resource_claim"},
  };
  for (const auto& [text, code] : texts) {
    EXPECT_EQ(CodeOf("0/4 nodes are available: 4 " + std::string(text) + "."), code) << text;
  }
  const std::pair<const char*, const char*> for_all[] = {
      {R"(persistentvolumeclaim "a" is being deleted)", "volume"},
      {R"(persistentvolumeclaim "a" bound to non-existent persistentvolume "b")", "volume"},
      {R"(waiting for ephemeral volume controller to create the persistentvolumeclaim "a")",
       "volume"},
      {R"(resourceclaim "a" is being deleted)", "resource_claim"},
      {"pod affinity terms conflict", "affinity"},
  };
  for (const auto& [text, code] : for_all) {
    EXPECT_EQ(CodeOf("0/4 nodes are available: " + std::string(text) + ". not found"), code)
        << text;
  }
}

class Recorded : public ::testing::TestWithParam<const char*> {};

TEST_P(Recorded, EachTextOfARealSchedulerHasItsCause) {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR "/tests/data/kube-scheduler/") + GetParam() +
                     ".json");
  const json recorded = json::parse(file);
  std::set<std::string> codes;
  for (const json& each : recorded.at("cases")) {
    if (each.at("reason") == "") {
      continue;  // nothing was ever said of it
    }
    const json limits = each.at("gpu").get<bool>()
                            ? json{{"limits", {{"tencent.com/vcuda-core", "20"}}}}
                            : json::object();
    PodEvidence evidence;
    evidence.pod = {{"metadata", {{"name", "p"}, {"namespace", "team"}, {"uid", "u"}}},
                    {"spec", {{"containers", {{{"name", "main"}, {"resources", limits}}}}}},
                    {"status",
                     {{"phase", "Pending"},
                      {"conditions",
                       {{{"type", "PodScheduled"},
                         {"status", "False"},
                         {"reason", each.at("reason")},
                         {"message", each.at("message")}}}}}}};
    if (each.at("reason") == "SchedulingGated") {
      evidence.pod["spec"]["schedulingGates"] = {{{"name", "wait"}}};
    }
    evidence.parsed = *api::ParsePod(evidence.pod.dump(), evidence.names);
    const WhyAnswer answer = WhyUnbound(evidence);
    EXPECT_EQ(answer.code, each.at("text_code")) << each.dump(1) << answer.sentence;
    EXPECT_EQ(answer.sentence.find("preemption"), std::string::npos) << answer.sentence;
    codes.insert(answer.code);
  }
  EXPECT_GE(codes.size(), 15u);
}

INSTANTIATE_TEST_SUITE_P(Minors, Recorded, ::testing::Values("1.34", "1.37"));

}  // namespace
}  // namespace aliquot::cli
