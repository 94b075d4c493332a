// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/node_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/usage/gpu_manager_pages.h"
#include "agent/usage/grants_page.h"
#include "prometheus/text_serializer.h"

namespace aliquot::agent {
namespace {

using testing::HasSubstr;
using testing::Not;

NodeFigures OneShare() {
  NodeFigures figures;
  figures.node = "node-a";
  CardReading card;
  card.uuid = "GPU-0";
  card.minor = 3;
  card.model = "Tesla T4";
  card.pci = "0000:3b:00.0";
  card.health = "ok";
  card.total_mib = 16384;
  card.used_mib = 1024;
  card.granted_core = 20;
  card.power_milliwatts = 45500;
  figures.cards.push_back(card);
  ShareReading share;
  share.pod = {"team", "notebook"};
  share.pod_uid = "u-1";
  share.container = "main";
  share.uuid = "GPU-0";
  share.minor = 3;
  share.core = 20;
  share.mib = 3840;
  share.isolation = "auto";
  share.enforcement = "none";
  share.used_mib = 512;
  figures.shares.push_back(share);
  return figures;
}

std::string Text(const NodeFigures& figures) {
  return prometheus::TextSerializer().Serialize(NodeMetrics(figures));
}

TEST(NodeMetrics, AreInBaseUnits) {
  const std::string text = Text(OneShare());
  // 16,384 MiB and 3,840 MiB in bytes; 45.5 W.
  EXPECT_THAT(text, HasSubstr("aliquot_card_memory_total_bytes{Hostname=\"node-a\",UUID=\"GPU-0\","
                              "gpu=\"3\"} 17179869184\n"));
  EXPECT_THAT(text, HasSubstr("aliquot_card_power_watts{Hostname=\"node-a\",UUID=\"GPU-0\",gpu="
                              "\"3\"} 45.5"));
  EXPECT_THAT(text, HasSubstr("aliquot_share_memory_limit_bytes{Hostname=\"node-a\",UUID=\"GPU-0\","
                              "container=\"main\",gpu=\"3\",namespace=\"team\",pod=\"notebook\"} "
                              "4026531840\n"));
}

TEST(NodeMetrics, TheShareInfoCarriesTheLabelsThatJoinWithDcgms) {
  EXPECT_THAT(Text(OneShare()),
              HasSubstr("aliquot_share_info{Hostname=\"node-a\",UUID=\"GPU-0\",container=\"main\","
                        "gpu=\"3\",namespace=\"team\",pod=\"notebook\",enforcement=\"none\","
                        "isolation=\"auto\",uid=\"u-1\"} 1\n"));
}

TEST(NodeMetrics, WhatIsNotKnownIsAbsentInsteadOfZero) {
  const std::string text = Text(OneShare());
  EXPECT_THAT(text, Not(HasSubstr("aliquot_card_temperature_celsius{")));
  EXPECT_THAT(text, Not(HasSubstr("aliquot_share_memory_charged_bytes{")));
}

// Of processes that live 7 launches, of all that the container had 12; 2.5 s.
TEST(NodeMetrics, CountersOfAShareGoOnWhereItsProcessesEnd) {
  NodeFigures figures = OneShare();
  figures.shares[0].charged = quota::CardUsage{};
  figures.shares[0].charged->launches = 7;
  figures.shares[0].charged->held_bytes = 500;
  ShareCounts counted;
  counted.launches = 12;
  counted.busy_ns = 2'500'000'000;
  figures.shares[0].counted = counted;
  const std::string labels =
      "{Hostname=\"node-a\",UUID=\"GPU-0\",container=\"main\",gpu=\"3\","
      "namespace=\"team\",pod=\"notebook\"} ";
  EXPECT_THAT(Text(figures), HasSubstr("aliquot_share_launches_total" + labels + "12\n"));
  EXPECT_THAT(Text(figures), HasSubstr("aliquot_share_busy_seconds_total" + labels + "2.5\n"));
  EXPECT_THAT(Text(figures), HasSubstr("aliquot_share_memory_charged_bytes" + labels + "500\n"));
}

TEST(NodeMetrics, ACardThatIsNotOursSaysWhy) {
  NodeFigures figures = OneShare();
  figures.cards[0].mode = "mig";
  EXPECT_THAT(Text(figures), HasSubstr("gpu=\"3\",reason=\"mig\"} 0\n"));
}

TEST(NodeMetrics, WithoutAnElasticCeilingTheShareIsTheCeiling) {
  NodeFigures figures = OneShare();
  EXPECT_THAT(Text(figures), HasSubstr("aliquot_share_core_ceiling_percent{"));
  EXPECT_THAT(Text(figures), HasSubstr("pod=\"notebook\"} 20\n"));
}

TEST(GpuManagerPages, TheMetricPageHasGpuManagersNamesAndUnits) {
  const std::string text = GpuManagerMetric(OneShare());
  EXPECT_THAT(text, HasSubstr("container_gpu_memory_total{container_name=\"main\",gpu_memory="
                              "\"gpu3\",namespace=\"team\",node=\"node-a\",pod_name=\"notebook\"} "
                              "512\n"));
  EXPECT_THAT(text, HasSubstr("container_request_gpu_utilization{container_name=\"main\","
                              "req_of_gpu=\"total\",namespace=\"team\",node=\"node-a\",pod_name="
                              "\"notebook\"} 0.2\n"));
  EXPECT_THAT(text, HasSubstr("req_of_gpu_memory=\"total\",namespace=\"team\",node=\"node-a\","
                              "pod_name=\"notebook\"} 3840\n"));
}

TEST(GpuManagerPages, UsageAndGraphNameTheCard) {
  EXPECT_THAT(GpuManagerUsage(OneShare()), HasSubstr("\"gpu3\":{\"uuid\":\"GPU-0\""));
  EXPECT_THAT(GpuManagerGraph(OneShare()), HasSubstr("|---GPU3 "));
  EXPECT_THAT(GpuManagerGraph(OneShare()), HasSubstr("allocatableCores: 80"));
}

TEST(GrantsPage, HoldsNoSignatureAndSurvivesAnyText) {
  auto grant = std::make_shared<GrantRecord>();
  grant->name = "g1";
  grant->identity.key = {"team", "note\xff"};
  grant->identity.signature = "key:SECRET";
  grant->identity.allocation = "ALLOCATION";
  grant->cards.push_back({"GPU-0", 3, 20, 3840});
  const std::string page = GrantsPage("node-a", {grant});
  EXPECT_THAT(page,
              HasSubstr("\"cards\":[{\"uuid\":\"GPU-0\",\"minor\":3,\"core\":20,\"mib\":3840}]"));
  EXPECT_THAT(page, Not(HasSubstr("SECRET")));
}

TEST(NodeMetrics, AShareThatTheLibraryHoldsShowsWhatTheAgentFound) {
  NodeFigures figures = OneShare();
  EXPECT_THAT(Text(figures), Not(HasSubstr("aliquot_share_core_now_percent{")));
  ShareEnforcement held;
  held.overhead_bytes = 300 << 20;
  held.busy_correction_ns = -1'500'000'000;
  figures.shares[0].held = held;
  EXPECT_THAT(Text(figures), HasSubstr("aliquot_share_core_now_percent{Hostname=\"node-a\",UUID="
                                       "\"GPU-0\",container=\"main\",gpu=\"3\",namespace="
                                       "\"team\",pod=\"notebook\"} 20\n"));
  EXPECT_THAT(Text(figures), HasSubstr("pod=\"notebook\"} 314572800\n"));  // 300 MiB
  EXPECT_THAT(Text(figures), HasSubstr("pod=\"notebook\"} -1.5\n"));
  EXPECT_THAT(Text(figures), Not(HasSubstr("aliquot_agent_unenforced{")));
  figures.shares[0].held->core_now = 60;
  figures.shares[0].held->verdicts = {"no_library"};
  EXPECT_THAT(Text(figures), HasSubstr("pod=\"notebook\"} 60\n"));
  EXPECT_THAT(Text(figures), HasSubstr("pod=\"notebook\",reason=\"no_library\"} 1\n"));
}

}  // namespace
}  // namespace aliquot::agent
