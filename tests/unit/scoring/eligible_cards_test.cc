// SPDX-License-Identifier: Apache-2.0
#include "scoring/eligible_cards.h"

#include <gtest/gtest.h>

#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using topology::CardSet;

// Cards 0 and 1 by NVLink, 2 and 3 by C2C, the rest by PCIe; NUMA nodes 0, 0, 1 and unknown twice.
TestNode Mixed() {
  return TestNode({Card(1024), Card(1024), Card(1024), Card(1024), Card(1024)},
                  "NV4,SYS,SYS,SYS,SYS,SYS,SYS,C2C,SYS,SYS", {0, 0, 1, -1, -1});
}

TEST(EligibleCards, WithoutWishesEveryCardInAnyCompany) {
  const EligibleCards eligible(Mixed().state(), {});
  EXPECT_EQ(eligible.cards(), kEveryCard);
  EXPECT_FALSE(eligible.binds());
  EXPECT_TRUE(eligible.Together(0b11111));
}

TEST(EligibleCards, NvlinkIsAskedOfEveryPairAndC2cIsNot) {
  model::CardWishes wishes;
  wishes.all_nvlink = true;
  const EligibleCards eligible(Mixed().state(), wishes);
  EXPECT_TRUE(eligible.Together(0b00011));
  EXPECT_FALSE(eligible.Together(0b00111));
  EXPECT_FALSE(eligible.Together(0b01100));
}

TEST(EligibleCards, ChainOfNvlinksIsNotAllPairs) {
  // 0-1 and 1-2 are linked, 0-2 are not.
  const TestNode node({Card(1024), Card(1024), Card(1024)}, "NV1,SYS,NV1");
  model::CardWishes wishes;
  wishes.all_nvlink = true;
  const EligibleCards eligible(node.state(), wishes);
  EXPECT_TRUE(eligible.Together(0b011));
  EXPECT_TRUE(eligible.Together(0b110));
  EXPECT_FALSE(eligible.Together(0b111));
}

TEST(EligibleCards, UnknownNumaNodesAreNeverOne) {
  model::CardWishes wishes;
  wishes.one_numa = true;
  const EligibleCards eligible(Mixed().state(), wishes);
  EXPECT_TRUE(eligible.Together(0b00011));
  EXPECT_FALSE(eligible.Together(0b00110));
  EXPECT_FALSE(eligible.Together(0b11000));
}

TEST(EligibleCards, OneCardIsTogetherWithItself) {
  model::CardWishes wishes;
  wishes.one_numa = true;
  wishes.all_nvlink = true;
  const EligibleCards eligible(Mixed().state(), wishes);
  for (int card = 0; card < 5; ++card) {
    EXPECT_TRUE(eligible.Together(topology::CardBit(card)));
  }
}

TEST(EligibleCards, ModelsIncludedAndExcluded) {
  TestNode node = Mixed();
  node.set_models({"NVIDIA A100-SXM4-80GB", "NVIDIA A100-SXM4-40GB", "Tesla T4", "Tesla V100",
                   "NVIDIA A100-SXM4-80GB"});
  model::CardWishes wishes;
  wishes.models = {"A100-SXM4-80GB", "T4"};
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0b10101});
  wishes.models_excluded = {"T4"};
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0b10001});
  wishes.models.clear();
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0b11011});
}

TEST(EligibleCards, UuidsAndModelsBothCount) {
  TestNode node = Mixed();
  node.set_models({"A", "A", "B", "B", "B"});
  model::CardWishes wishes;
  wishes.uuids = {"GPU-1", "GPU-2"};
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0b00110});
  wishes.models = {"B"};
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0b00100});
  wishes.uuids_excluded = {"GPU-2"};
  EXPECT_EQ(EligibleCards(node.state(), wishes).cards(), CardSet{0});
}

TEST(CheckEligible, SaysWhichAnnotationLeavesNoCard) {
  TestNode node({Card(1024), UnusableCard(1024)});
  node.set_models({"A", "B"});
  const auto refusal = [&node](const model::CardWishes& wishes) {
    return CheckEligible(node.state(), wishes, EligibleCards(node.state(), wishes));
  };
  model::CardWishes wishes;
  wishes.models = {"A"};
  EXPECT_EQ(refusal(wishes), Refusal::kNone);
  wishes.uuids = {"GPU-1"};
  EXPECT_EQ(refusal(wishes), Refusal::kNoSuchUuid);
  // The only card of the model is broken.
  wishes.models = {"B"};
  EXPECT_EQ(refusal(wishes), Refusal::kNoSuchModel);
  wishes = {};
  wishes.uuids_excluded = {"GPU-0"};
  EXPECT_EQ(refusal(wishes), Refusal::kNoSuchUuid);
}

}  // namespace
}  // namespace aliquot::scoring
