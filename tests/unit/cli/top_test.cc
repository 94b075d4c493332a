// SPDX-License-Identifier: Apache-2.0
// What `aliquotctl top` makes of agents' pages and of what is held.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/top/print.h"
#include "cli/top/rows.h"
#include "cli/top/usage.h"

namespace aliquot::cli {
namespace {

constexpr char kShare[] =
    "{Hostname=\"n\",UUID=\"GPU-a\",container=\"c\",gpu=\"0\",namespace=\"team\",pod=\"p\"} ";
constexpr char kCard[] = "{Hostname=\"n\",UUID=\"GPU-a\",gpu=\"0\"} ";

std::string Of(const std::string& name, const char* labels, const std::string& value) {
  return name + labels + value + "\n";
}

NodeUsage Parsed(const std::string& text) {
  auto usage = ParseUsage(text);
  EXPECT_TRUE(usage.ok()) << usage.status().message();
  return usage.ok() ? *std::move(usage) : NodeUsage();
}

ShareUsage OfShare(const std::string& text) {
  return Parsed(text).shares.at({"team", "p", "c", "GPU-a"});
}

const std::string kCardText = Of("aliquot_card_utilization_percent", kCard, "61") +
                              Of("aliquot_card_memory_used_bytes", kCard, "3221225472");
const std::string kIdleShare =
    Of("aliquot_share_core_percent", kShare, "30") + Of("aliquot_share_processes", kShare, "0");

TEST(TopUsage, ACardHasWhatTheDriverSaysAndNothingElse) {
  const NodeUsage usage = Parsed(kCardText + Of("aliquot_card_power_watts", kCard, "71.6") +
                                 Of("aliquot_card_stranger_processes", kCard, "2"));
  const CardUsage& card = usage.cards.at("GPU-a");
  EXPECT_EQ(card.core, 61);
  EXPECT_EQ(card.mib, 3072);
  EXPECT_EQ(card.watts, 72);
  EXPECT_EQ(card.strangers, 2);
  EXPECT_EQ(card.celsius, std::nullopt);
  EXPECT_EQ(card.memory_bus, std::nullopt);
}

TEST(TopUsage, AShareWithoutProcessesUsesNothingWhereTheDriverIsAsked) {
  const ShareUsage share = OfShare(kCardText + kIdleShare);
  EXPECT_EQ(share.core, 0);
  EXPECT_EQ(share.mib, 0);
  // Nothing is known of the card: nothing is of the share.
  const ShareUsage unknown = OfShare(kIdleShare);
  EXPECT_EQ(unknown.core, std::nullopt);
  EXPECT_EQ(unknown.mib, std::nullopt);
}

TEST(TopUsage, TheDriversWordWinsOverTheLibrarys) {
  const std::string charged = Of("aliquot_share_memory_charged_bytes", kShare, "1073741824");
  const std::string works = kCardText + Of("aliquot_share_processes", kShare, "1") + charged;
  const ShareUsage by_library = OfShare(works);
  EXPECT_EQ(by_library.mib, 1024);
  EXPECT_TRUE(by_library.by_library);
  EXPECT_EQ(by_library.core, std::nullopt) << "a process without a sample";
  const ShareUsage by_driver =
      OfShare(works + Of("aliquot_share_memory_used_bytes", kShare, "2147483648") +
              Of("aliquot_share_utilization_percent", kShare, "17") +
              Of("aliquot_share_core_now_percent", kShare, "45"));
  EXPECT_EQ(by_driver.mib, 2048);
  EXPECT_FALSE(by_driver.by_library);
  EXPECT_EQ(by_driver.core, 17);
  EXPECT_EQ(by_driver.core_now, 45);
  // The agent can't tell whose processes are whose: charged memory shows that there are some.
  const ShareUsage hidden = OfShare(kCardText + kIdleShare + charged);
  EXPECT_EQ(hidden.mib, 1024);
  EXPECT_EQ(hidden.core, std::nullopt);
}

TEST(TopUsage, NumbersThatNoCardHasAreNone) {
  const NodeUsage usage = Parsed(Of("aliquot_card_memory_used_bytes", kCard, "NaN") +
                                 Of("aliquot_card_utilization_percent", kCard, "1e300"));
  EXPECT_EQ(usage.cards.at("GPU-a").mib, 0);
  EXPECT_EQ(usage.cards.at("GPU-a").core, 0);
  EXPECT_FALSE(ParseUsage("<html>").ok());
}

// ---- rows ----

CardRow Held(const std::string& node, int index, const std::string& uuid) {
  CardRow card;
  card.node = node;
  card.index = index;
  card.uuid = uuid;
  card.model = "T4";
  card.core_used = 30;
  card.mib_used = 4096;
  card.mib_total = 16384;
  card.pods = {"team/p"};
  return card;
}

NodeUsages Usages() {
  NodeUsages usages;
  NodeUsage usage;
  usage.cards["GPU-a"].core = 61;
  usage.cards["GPU-a"].mib = 3072;
  usage.cards["GPU-b"].mib = 1000;
  usage.shares[{"team", "p", "c", "GPU-a"}].core = 40;
  usage.shares[{"team", "p", "c", "GPU-a"}].mib = 2000;
  usages.emplace("n", usage);
  usages.emplace("away", Unavailable("agent x says: no"));
  return usages;
}

PodRow HoldingPod(const std::string& name, const std::string& node, const std::string& uuid) {
  PodRow pod;
  pod.namespace_name = "team";
  pod.name = name;
  pod.node = node;
  pod.source = "record";
  pod.core = 30;
  pod.mib = 4096;
  pod.cards = {{"c", uuid, 0, 30, 4096}};
  return pod;
}

TEST(TopRows, ANodeIsTheSumOfItsCardsAndSaysWhatIsMissing) {
  const auto cards = TopCards({Held("away", 0, "GPU-x"), Held("n", 0, "GPU-a"),
                               Held("n", 1, "GPU-b"), Held("n", 2, "GPU-c")},
                              Usages());
  ASSERT_EQ(cards.size(), 4u);
  EXPECT_EQ(cards[0].note, "agent x says: no");
  EXPECT_EQ(cards[1].note, "");
  EXPECT_EQ(cards[3].note, "its agent does not see this card");
  const auto nodes = TopNodes(cards);
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].used.core, std::nullopt);
  EXPECT_EQ(nodes[0].note, "agent x says: no");
  EXPECT_EQ(nodes[1].used.core, 61);
  EXPECT_EQ(nodes[1].used.mib, 4072);
  EXPECT_EQ(nodes[1].core_held, 90);
  EXPECT_EQ(nodes[1].core_total, 300);
  EXPECT_EQ(nodes[1].shares, 3u);
}

TEST(TopRows, TheSumOfWhatAnAgentMakesUpIsNotCutOff) {
  NodeUsages usages;
  NodeUsage usage;
  for (const char* uuid : {"GPU-a", "GPU-b", "GPU-c"}) {
    usage.cards[uuid].strangers = 999'999'999;
  }
  usages.emplace("n", usage);
  const auto nodes = TopNodes(
      TopCards({Held("n", 0, "GPU-a"), Held("n", 1, "GPU-b"), Held("n", 2, "GPU-c")}, usages));
  EXPECT_EQ(nodes.at(0).strangers, 2'999'999'997);
}

TEST(TopRows, APodIsTheSumOfItsSharesAndOneThatItsAgentDoesNotKnowSaysSo) {
  PodRow two = HoldingPod("p", "n", "GPU-a");
  two.cards.push_back({"c", "GPU-b", 1, 30, 4096});
  const auto pods = TopPods({two, HoldingPod("q", "n", "GPU-b"), HoldingPod("r", "away", "GPU-x"),
                             HoldingPod("s", "nowhere", "GPU-y")},
                            Usages());
  EXPECT_EQ(pods[0].used.core, 40);
  EXPECT_EQ(pods[0].used.mib, 2000);
  EXPECT_EQ(pods[0].note, "");
  EXPECT_EQ(pods[1].note, "its agent knows no running container of it");
  EXPECT_EQ(pods[2].note, "agent x says: no");
  EXPECT_EQ(pods[3].note, "its agent was not asked");
}

TEST(TopRows, OnlyPodsThatHoldCardsAreShownAndOnlyTheirNodesAsked) {
  std::vector<PodRow> pods{HoldingPod("p", "n", "GPU-a"), HoldingPod("q", "n", "GPU-a"),
                           HoldingPod("waits", "", "GPU-a"), HoldingPod("done", "m", "GPU-a")};
  pods[3].source = "";
  KeepHolding(pods);
  ASSERT_EQ(pods.size(), 2u);
  EXPECT_EQ(NodesOf(pods), (std::set<std::string>{"n"}));
  EXPECT_EQ(NodesOf({Held("a", 0, "x"), Held("a", 1, "y"), Held("b", 0, "z")}),
            (std::set<std::string>{"a", "b"}));
}

TEST(TopRows, WhatIsUsedMostComesFirstAndTheUnknownLast) {
  std::vector<TopNode> nodes(3);
  nodes[0].name = "unknown";
  nodes[1].name = "little";
  nodes[1].used = {10, 9000};
  nodes[2].name = "much";
  nodes[2].used = {90, 100};
  const auto names = [](const std::vector<TopNode>& rows) {
    return rows[0].name + " " + rows[1].name + " " + rows[2].name;
  };
  Sort(Order::kName, nodes);
  EXPECT_EQ(names(nodes), "unknown little much");
  Sort(Order::kCore, nodes);
  EXPECT_EQ(names(nodes), "much little unknown");
  Sort(Order::kMemory, nodes);
  EXPECT_EQ(names(nodes), "little much unknown");
}

TEST(TopPrint, NothingKnownIsNullAndWideHasALineForEachCardOfAContainer) {
  PodRow two = HoldingPod("p", "n", "GPU-a");
  two.cards.push_back({"c", "GPU-b", std::nullopt, 30, 4096});
  const auto pods = TopPods({two}, Usages());
  const auto json = ToJson(pods);
  EXPECT_EQ(json["items"][0]["core_used"], 40);
  EXPECT_TRUE(json["items"][0]["shares"][1]["mib_used"].is_null());
  EXPECT_TRUE(json["items"][0]["shares"][1]["index"].is_null());
  EXPECT_EQ(json["items"][0]["shares"][0]["mib_by"], "driver");
  const std::string wide = PodTable(pods, true, true);
  EXPECT_EQ(std::count(wide.begin(), wide.end(), '\n'), 3);
  EXPECT_NE(wide.find("<unknown>"), std::string::npos);
}

}  // namespace
}  // namespace aliquot::cli
