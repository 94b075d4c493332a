// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/decision.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

// "no_allocation: the sentence", or "granted".
std::string Answer(const Granted<GrantPlan>& granted) {
  return granted.ok() ? "granted"
                      : std::string(RefusalName(granted.refusal().reason)) + ": " +
                            granted.refusal().sentence;
}

std::shared_ptr<const GrantRecord> Live(const ContainerIdentity& identity,
                                        const std::vector<std::string>& ids,
                                        const std::vector<GrantedCard>& cards) {
  GrantRecord record;
  record.device_ids = ids;
  record.name = GrantName(ids);
  record.identity = identity;
  record.cards = cards;
  return std::make_shared<const GrantRecord>(record);
}

class DecideGrantTest : public testing::Test {
 protected:
  std::string Decide(const std::vector<std::string>& ids, const ContainerIdentity& identity) {
    return Answer(DecideGrant(ids, identity, facts_()));
  }

  FactsOf facts_;
  // 20 % and 3840 MiB of card 3.
  ContainerIdentity pod_ = Share("u-1", "GPU-3", 20, 3840);
};

TEST_F(DecideGrantTest, GivesExactlyTheRecordsCard) {
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts_());
  ASSERT_TRUE(plan.ok()) << plan.refusal().sentence;
  EXPECT_EQ(plan->record.name, GrantName(Ids(0, 20)));
  ASSERT_EQ(plan->record.cards.size(), 1u);
  EXPECT_EQ(plan->record.cards[0].uuid, "GPU-3");
  EXPECT_EQ(plan->record.cards[0].minor, 3);
  EXPECT_EQ(plan->record.cards[0].core, 20);
  EXPECT_EQ(plan->record.cards[0].mib, 3840);
  EXPECT_EQ(plan->total_mib(), 3840);
  ASSERT_EQ(plan->nodes.size(), 3u);
  EXPECT_EQ(plan->nodes[0].name, "nvidia3");
  EXPECT_EQ(plan->nodes[1].name, "nvidiactl");
  EXPECT_EQ(plan->nodes[2].name, "nvidia-caps/nvidia-cap1");
  EXPECT_EQ(plan->record.isolation, "auto");
  EXPECT_EQ(plan->record.limit, 0);
}

TEST_F(DecideGrantTest, KeepsCeilingAndIsolationOfTheRecord) {
  pod_.allocation = RecordText("u-1", R"("main":{"cards":[)" + CardText("GPU-3", 20, 3840) +
                                          R"(],"limit":60,"isolation":"none"})");
  GrantFacts facts = facts_();
  facts.library = {"00aa", "/run/aliquot/library/00aa", "libaliquot.so"};
  facts.allow_none = true;
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->record.limit, 60);
  EXPECT_EQ(plan->record.isolation, "none");
  EXPECT_EQ(plan->record.library, "") << "the pod asked to go without";
}

TEST_F(DecideGrantTest, NamesTheLibraryAndTheDriverOfNow) {
  GrantFacts facts = facts_();
  facts.library = {"00aa", "/run/aliquot/library/00aa", "libaliquot.so"};
  facts.driver.way = DriverDelivery::Way::kMirror;
  facts.driver.directory = "/var/lib/aliquot/driver/535.104.05";
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->record.library, "00aa");
  EXPECT_EQ(plan->record.driver, "/var/lib/aliquot/driver/535.104.05");
}

// 2 x 100 %: 200 IDs; whatever memory the record says, a whole card is all of it.
TEST_F(DecideGrantTest, WholeCardsHaveTheCardsMemory) {
  pod_.core = 200;
  pod_.whole = true;
  pod_.memory_units = 0;
  pod_.allocation = RecordText("u-1", ContainerText("main", CardText("GPU-1", 100, 15360) + "," +
                                                                CardText("GPU-2", 100, 0)));
  const auto plan = DecideGrant(Ids(0, 200), pod_, facts_());
  ASSERT_TRUE(plan.ok()) << plan.refusal().sentence;
  EXPECT_EQ(plan->record.cards[0].mib, 15360);
  EXPECT_EQ(plan->record.cards[1].mib, 15360);
  EXPECT_EQ(plan->nodes[0].name, "nvidia1");
  EXPECT_EQ(plan->nodes[1].name, "nvidia2");
}

// aliquot.io/gpu-count 2: 40 % and 4096 MiB over two cards.
TEST_F(DecideGrantTest, AShareOfSeveralCardsIsAddedUp) {
  pod_.core = 40;
  pod_.memory_units = 16;
  pod_.allocation = RecordText("u-1", ContainerText("main", CardText("GPU-0", 20, 2048) + "," +
                                                                CardText("GPU-1", 20, 2048)));
  EXPECT_EQ(Decide(Ids(0, 40), pod_), "granted");
}

TEST_F(DecideGrantTest, AfterARebootTheMinorIsTheOneOfNow) {
  std::swap(facts_.machine.cards[0].card.minor, facts_.machine.cards[3].card.minor);
  std::swap(facts_.machine.cards[0].node, facts_.machine.cards[3].node);
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts_());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->record.cards[0].minor, 0);
  EXPECT_EQ(plan->nodes[0].name, "nvidia0");
}

TEST_F(DecideGrantTest, NoRecord) {
  pod_.allocation = "";
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "no_allocation: container main of pod ml/u-1 has no cards, because the pod has no "
            "annotation aliquot.io/allocation; the allocator writes it, so see that "
            "aliquot-allocator runs");
}

TEST_F(DecideGrantTest, RecordOfOtherContainersOnly) {
  pod_.container = "other";
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "no_allocation: container other of pod ml/u-1 is not named by the pod's annotation "
            "aliquot.io/allocation; delete the pod and create it again");
}

TEST_F(DecideGrantTest, RecordOfAnotherVersion) {
  pod_.allocation = R"({"v":2,"uid":"u-1","node":"n1","containers":{}})";
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "record_version: container main of pod ml/u-1 has an annotation "
            "aliquot.io/allocation that this agent cannot read: the allocation: v is 2; this "
            "version reads 1, so upgrade the reader");
}

TEST_F(DecideGrantTest, RecordThatIsNoJson) {
  pod_.allocation = "{";
  EXPECT_EQ(Decide(Ids(0, 20), pod_).substr(0, 15), "record_version:");
}

TEST_F(DecideGrantTest, RecordOfAnotherPod) {
  pod_.uid = "u-2";
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "wrong_pod: container main of pod ml/u-1 has the record of another pod: its uid is "
            "\"u-1\" and the pod's is \"u-2\"; delete the pod and create it without "
            "aliquot.io/allocation");
}

TEST_F(DecideGrantTest, RecordForAnotherNode) {
  GrantFacts facts = facts_();
  facts.node_name = "n2";
  EXPECT_EQ(Answer(DecideGrant(Ids(0, 20), pod_, facts)),
            "wrong_node: container main of pod ml/u-1 has a record for node \"n1\" and this is "
            "node \"n2\"; delete the pod and create it again, so that it is bound here properly");
}

TEST_F(DecideGrantTest, PodBeingDeleted) {
  pod_.deleting = true;
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "pod_deleting: container main of pod ml/u-1 is not started, because "
            "metadata.deletionTimestamp of the pod is set; wait until the pod is gone");
}

TEST_F(DecideGrantTest, SignatureThatIsNotOneOfTheKeys) {
  GrantFacts facts = facts_();
  std::string text_seen;
  facts.verify = [&](std::string_view text, std::string_view signature) {
    text_seen = text;
    return signature == "good" ? Status::Ok() : InvalidArgument("the signature is of no key");
  };
  pod_.signature = "bad";
  EXPECT_EQ(Answer(DecideGrant(Ids(0, 20), pod_, facts)),
            "bad_signature: container main of pod ml/u-1 has no cards that can be trusted: the "
            "signature is of no key");
  EXPECT_EQ(text_seen, pod_.allocation);
  pod_.signature = "good";
  EXPECT_EQ(Answer(DecideGrant(Ids(0, 20), pod_, facts)), "granted");
}

// Without keys anything may stand in its place; grant.json must stay short enough to be read again.
TEST_F(DecideGrantTest, WhatIsTooLongForASignatureIsNotKept) {
  pod_.signature = std::string(250000, '\x01');
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts_());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->record.identity.signature, "");
}

TEST_F(DecideGrantTest, UnsignedTextIsNotEvenRead) {
  GrantFacts facts = facts_();
  facts.verify = [](std::string_view, std::string_view) { return InvalidArgument("no key"); };
  pod_.allocation = "not a record";
  EXPECT_EQ(Answer(DecideGrant(Ids(0, 20), pod_, facts)).substr(0, 14), "bad_signature:");
}

TEST_F(DecideGrantTest, SizesThatDiffer) {
  const std::string head = "size_mismatch: container main of pod ml/u-1 ";
  const std::string tail = "; delete the pod and create it again, so that record and spec agree";
  EXPECT_EQ(Decide(Ids(0, 21), pod_),
            head + "has 20 % in its record and 21 device IDs of 1 %" + tail);
  ContainerIdentity spec = pod_;
  spec.core = 30;
  EXPECT_EQ(Decide(Ids(0, 20), spec),
            head + "asks for 30 % in its spec and has 20 % in its record" + tail);
  spec = pod_;
  spec.memory_units = 16;  // 16 x 256 MiB = 4096 MiB
  EXPECT_EQ(Decide(Ids(0, 20), spec),
            head + "asks for 4096 MiB in its spec and has 3840 MiB in its record" + tail);
}

TEST_F(DecideGrantTest, OneDeviceIdTwice) {
  std::vector<std::string> ids = Ids(0, 20);
  ids[19] = ids[0];
  EXPECT_EQ(Decide(ids, pod_),
            "size_mismatch: container main of pod ml/u-1 was given one device ID twice by the "
            "kubelet; delete the pod and create it again, so that record and spec agree");
}

// 50 % + 50 % is neither a share (under 100 %) nor a whole card.
TEST_F(DecideGrantTest, HalvesOfTwoCardsAreNoWholeCard) {
  pod_.core = 100;
  pod_.allocation = RecordText("u-1", ContainerText("main", CardText("GPU-0", 50, 1024) + "," +
                                                                CardText("GPU-1", 50, 1024)));
  EXPECT_EQ(Decide(Ids(0, 100), pod_),
            "size_mismatch: container main of pod ml/u-1 has 100 % over 2 cards in its record, "
            "which is neither one share under 100 % nor whole cards; delete the pod and create it "
            "again, so that record and spec agree");
}

TEST_F(DecideGrantTest, AShareWithoutMemory) {
  pod_ = Share("u-1", "GPU-3", 20, 0);
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "size_mismatch: container main of pod ml/u-1 has a share of a card without memory in "
            "its record; delete the pod and create it again, so that record and spec agree");
}

// 17 whole cards: a limits record has room for 16.
TEST_F(DecideGrantTest, MoreCardsThanALimitsRecordHolds) {
  std::string cards;
  for (int i = 0; i < 17; ++i) {
    cards += (i == 0 ? "" : ",") + CardText("GPU-" + std::to_string(i), 100, 1024);
  }
  pod_.core = 1700;
  pod_.allocation = RecordText("u-1", ContainerText("main", cards));
  EXPECT_EQ(Decide(Ids(0, 1700), pod_),
            "size_mismatch: container main of pod ml/u-1 has 17 cards in its record, and a "
            "container can be given 16; delete the pod and create it again, so that record and "
            "spec agree");
}

TEST_F(DecideGrantTest, ARecalledContainerIsNotComparedWithASpec) {
  pod_.core = 0;
  pod_.memory_units = 0;
  pod_.recalled = true;
  const auto plan = DecideGrant(Ids(0, 20), pod_, facts_());
  ASSERT_TRUE(plan.ok());
  EXPECT_FALSE(plan->record.identity.recalled);
}

TEST_F(DecideGrantTest, CardsThatCannotBeGiven) {
  const std::string head = "card_unhealthy: container main of pod ml/u-1 has card GPU-3, which ";
  const std::string tail =
      "; it starts when the card is back, or delete the pod so that it gets another";
  facts_.standing["GPU-3"].health = "xid79";
  EXPECT_EQ(Decide(Ids(0, 20), pod_), head + "is unhealthy (xid79)" + tail);
  facts_.standing["GPU-3"] = {"ok", "foreign"};
  EXPECT_EQ(Decide(Ids(0, 20), pod_), head + "is not Aliquot's to share (foreign)" + tail);
  facts_.standing["GPU-3"] = {"ok", "none"};
  facts_.machine.cards[3].card.mode = "mig";
  EXPECT_EQ(Decide(Ids(0, 20), pod_), head + "is not Aliquot's to share (mig)" + tail);
  facts_.standing.erase("GPU-3");
  EXPECT_EQ(Decide(Ids(0, 20), pod_), head + "has not been checked yet" + tail);
  facts_.machine.cards.pop_back();
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            head + "is lost: the driver of this node does not list it" + tail);
}

// 80 % + 20 % = 100 %: fits. 81 % + 20 %: does not.
TEST_F(DecideGrantTest, CoresOfLiveGrantsStayWithinTheCard) {
  facts_.live = {Live(Share("u-9", "GPU-3", 80, 1024), Ids(100, 80), {{"GPU-3", 3, 80, 1024}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_), "granted");
  facts_.live = {Live(Share("u-9", "GPU-3", 81, 1024), Ids(100, 81), {{"GPU-3", 3, 81, 1024}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "card_busy: container main of pod ml/u-1 has 20 % and 3840 MiB of card GPU-3, of which "
            "running containers still hold 81 % and 1024 MiB of 15360 MiB; it starts when they "
            "have ended");
}

// 11520 + 3840 = 15360 MiB: fits. One MiB more does not.
TEST_F(DecideGrantTest, MemoryOfLiveGrantsStaysWithinTheCard) {
  facts_.live = {Live(Share("u-9", "GPU-3", 1, 11520), Ids(100, 1), {{"GPU-3", 3, 1, 11520}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_), "granted");
  facts_.live = {Live(Share("u-9", "GPU-3", 1, 11521), Ids(100, 1), {{"GPU-3", 3, 1, 11521}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_).substr(0, 10), "card_busy:");
}

TEST_F(DecideGrantTest, OtherCardsGrantsDoNotCount) {
  facts_.live = {Live(Share("u-9", "GPU-2", 99, 1024), Ids(100, 99), {{"GPU-2", 2, 99, 1024}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_), "granted");
}

TEST_F(DecideGrantTest, ARestartReplacesItsOwnGrant) {
  pod_ = Share("u-1", "GPU-3", 60, 3840);
  facts_.live = {Live(pod_, Ids(0, 60), {{"GPU-3", 3, 60, 3840}})};
  EXPECT_EQ(Decide(Ids(0, 60), pod_), "granted");
}

TEST_F(DecideGrantTest, DeviceIdsOfAnotherLivePod) {
  facts_.live = {Live(Share("u-9", "GPU-1", 20, 1024), Ids(0, 20), {{"GPU-1", 1, 20, 1024}})};
  EXPECT_EQ(Decide(Ids(0, 20), pod_),
            "ids_in_use: container main of pod ml/u-1 was given device IDs that another live "
            "container still holds; it starts when that one has ended");
}

TEST_F(DecideGrantTest, NoDriverLibraries) {
  GrantFacts facts = facts_();
  facts.driver.way = DriverDelivery::Way::kMirror;
  facts.driver.sentence = "no driver libraries lie below driver root /; install the driver there";
  EXPECT_EQ(Answer(DecideGrant(Ids(0, 20), pod_, facts)),
            "no_driver_delivery: container main of pod ml/u-1 cannot be given the driver's "
            "libraries: no driver libraries lie below driver root /; install the driver there");
}

TEST_F(DecideGrantTest, TextOfStrangersIsMadePrintable) {
  pod_.uid = "u-1\nforged line";
  EXPECT_EQ(Decide(Ids(0, 20), pod_).find('\n'), std::string::npos);
}

// One container after the other: which grants count beside the one that starts.
ContainerIdentity At(model::ContainerKind kind, int index, const std::string& name,
                     const std::string& uid = "u-1") {
  ContainerIdentity identity;
  identity.uid = uid;
  identity.kind = kind;
  identity.index = index;
  identity.container = name;
  return identity;
}

TEST(EndsAtStartOf, AnInitContainerEndsWhenALaterOneStarts) {
  using model::ContainerKind;
  const ContainerIdentity init = At(ContainerKind::kInit, 1, "prep");
  EXPECT_TRUE(EndsAtStartOf(init, At(ContainerKind::kApp, 0, "main")));
  EXPECT_TRUE(EndsAtStartOf(init, At(ContainerKind::kInit, 2, "prep2")));
  EXPECT_TRUE(EndsAtStartOf(init, At(ContainerKind::kSidecar, 2, "proxy")));
  EXPECT_FALSE(EndsAtStartOf(init, At(ContainerKind::kSidecar, 0, "proxy")))
      << "a sidecar before it restarts while it runs";
  EXPECT_FALSE(EndsAtStartOf(init, At(ContainerKind::kApp, 0, "main", "u-2")));
}

TEST(EndsAtStartOf, SidecarsAndAppContainersRunTogether) {
  using model::ContainerKind;
  const ContainerIdentity sidecar = At(ContainerKind::kSidecar, 0, "proxy");
  const ContainerIdentity app = At(ContainerKind::kApp, 0, "main");
  EXPECT_FALSE(EndsAtStartOf(sidecar, app));
  EXPECT_FALSE(EndsAtStartOf(app, sidecar));
  EXPECT_FALSE(EndsAtStartOf(app, At(ContainerKind::kApp, 1, "second")));
  EXPECT_FALSE(EndsAtStartOf(sidecar, At(ContainerKind::kInit, 1, "prep")));
}

// The sandbox was made anew: init containers run again, and nothing after them runs yet.
TEST(EndsAtStartOf, AnInitContainerThatRunsAgainShowsThatLaterOnesEnded) {
  using model::ContainerKind;
  const ContainerIdentity init = At(ContainerKind::kInit, 1, "prep");
  EXPECT_TRUE(EndsAtStartOf(At(ContainerKind::kApp, 0, "main"), init));
  EXPECT_TRUE(EndsAtStartOf(At(ContainerKind::kSidecar, 2, "proxy"), init));
  EXPECT_FALSE(EndsAtStartOf(At(ContainerKind::kSidecar, 0, "early"), init));
}

TEST_F(DecideGrantTest, AnIsolationThatCannotBeHadIsRefusedWithTheContainersName) {
  pod_.allocation = RecordText(
      "u-1", R"("main":{"cards":[)" + CardText("GPU-3", 20, 3840) + R"(],"isolation":"driver"})");
  EXPECT_EQ(Decide(Ids(0, 20), pod_).rfind("isolation: container main of pod ", 0), 0u);
}

}  // namespace
}  // namespace aliquot::agent
