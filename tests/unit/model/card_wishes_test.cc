// SPDX-License-Identifier: Apache-2.0
#include "model/card_wishes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "model/demand.h"
#include "model/names.h"

namespace aliquot::model {
namespace {

using ::testing::ElementsAre;

Pod With(std::string_view key, const std::string& value) {
  Pod pod;
  pod.annotations[std::string(key)] = value;
  return pod;
}

std::string Refusal(std::string_view key, const std::string& value) {
  return CardWishesOf(With(key, value)).status().message();
}

TEST(CardWishesOf, WithoutAnnotationsNothingIsAsked) {
  const auto wishes = CardWishesOf(Pod());
  ASSERT_TRUE(wishes.ok());
  EXPECT_FALSE(wishes->names_cards());
  EXPECT_FALSE(wishes->binds_cards_together());
  EXPECT_EQ(wishes->placement, Placement::kUnsaid);
  EXPECT_EQ(ShapeOfWishes(*wishes), "");
}

TEST(CardWishesOf, ModelsToIncludeAndToExcludeAreKeptAsTheyAreCompared) {
  const auto wishes =
      CardWishesOf(With(kGpuModelAnnotation, "NVIDIA T4,A100-SXM4-80GB,!Tesla V100,NVIDIA-T4"));
  ASSERT_TRUE(wishes.ok());
  EXPECT_THAT(wishes->models, ElementsAre("A100-SXM4-80GB", "T4"));
  EXPECT_THAT(wishes->models_excluded, ElementsAre("V100"));
}

TEST(CardWishesOf, UuidsToIncludeAndToExclude) {
  const auto wishes = CardWishesOf(With(kGpuUuidAnnotation, "GPU-2,!GPU-9,GPU-1"));
  ASSERT_TRUE(wishes.ok());
  EXPECT_THAT(wishes->uuids, ElementsAre("GPU-1", "GPU-2"));
  EXPECT_THAT(wishes->uuids_excluded, ElementsAre("GPU-9"));
}

TEST(CardWishesOf, RequiredBindsCardsTogetherAndPreferredDoesNot) {
  EXPECT_TRUE(CardWishesOf(With(kLinkAnnotation, "required"))->all_nvlink);
  EXPECT_FALSE(CardWishesOf(With(kLinkAnnotation, "required"))->one_numa);
  EXPECT_TRUE(CardWishesOf(With(kNumaAnnotation, "required"))->one_numa);
  EXPECT_FALSE(CardWishesOf(With(kLinkAnnotation, "preferred"))->binds_cards_together());
  EXPECT_FALSE(CardWishesOf(With(kNumaAnnotation, "preferred"))->binds_cards_together());
}

TEST(CardWishesOf, TheThreePlacements) {
  EXPECT_EQ(CardWishesOf(With(kPlacementAnnotation, "binpack"))->placement, Placement::kBinpack);
  EXPECT_EQ(CardWishesOf(With(kPlacementAnnotation, "spread"))->placement, Placement::kSpread);
  EXPECT_EQ(CardWishesOf(With(kPlacementAnnotation, "topology"))->placement, Placement::kTopology);
}

TEST(CardWishesOf, MalformedValuesAreRefused) {
  EXPECT_EQ(Refusal(kPlacementAnnotation, "Binpack"),
            "annotation aliquot.io/placement is \"Binpack\"; use binpack, spread or topology");
  EXPECT_EQ(Refusal(kLinkAnnotation, ""),
            "annotation aliquot.io/link is \"\"; use preferred or required");
  EXPECT_EQ(Refusal(kNumaAnnotation, "yes"),
            "annotation aliquot.io/numa is \"yes\"; use preferred or required");
  EXPECT_EQ(Refusal(kGpuModelAnnotation, "A100,,T4"),
            "annotation aliquot.io/gpu-model is \"A100,,T4\"; list model names separated by "
            "commas, ! before one to exclude it");
  EXPECT_EQ(Refusal(kGpuModelAnnotation, "A100, T4"),
            "annotation aliquot.io/gpu-model is \"A100, T4\"; list model names separated by "
            "commas, ! before one to exclude it");
  EXPECT_EQ(Refusal(kGpuUuidAnnotation, "GPU a"),
            "annotation aliquot.io/gpu-uuid is \"GPU a\"; list card UUIDs separated by commas, ! "
            "before one to exclude it");
  EXPECT_NE(Refusal(kGpuModelAnnotation, "!"), "");
  EXPECT_NE(Refusal(kGpuUuidAnnotation, std::string(1000, ',')), "");
}

TEST(ModelKey, LabelsInventoriesAndShortNamesOfOneModelAreEqual) {
  for (const char* name : {"NVIDIA A100-SXM4-80GB", "NVIDIA-A100-SXM4-80GB", "A100-SXM4-80GB"}) {
    EXPECT_EQ(ModelKey(name), "A100-SXM4-80GB") << name;
  }
  for (const char* name : {"Tesla V100-SXM2-16GB", "Tesla-V100-SXM2-16GB", "V100-SXM2-16GB",
                           "NVIDIA Tesla V100-SXM2-16GB"}) {
    EXPECT_EQ(ModelKey(name), "V100-SXM2-16GB") << name;
  }
  EXPECT_EQ(ModelKey("NVIDIA GeForce RTX 4090"), ModelKey("NVIDIA-GeForce-RTX-4090"));
}

TEST(ModelKey, NothingElseIsForgiven) {
  EXPECT_NE(ModelKey("A100"), ModelKey("A100-SXM4-80GB"));
  EXPECT_NE(ModelKey("a100-sxm4-80gb"), ModelKey("A100-SXM4-80GB"));
  EXPECT_NE(ModelKey("RTX 4090"), ModelKey("GeForce RTX 4090"));
  // A brand alone is a name; one inside a word is part of it.
  EXPECT_EQ(ModelKey("NVIDIA"), "NVIDIA");
  EXPECT_EQ(ModelKey("NVIDIA-"), "NVIDIA-");
  EXPECT_EQ(ModelKey("NVIDIAGH200"), "NVIDIAGH200");
}

TEST(ModelKey, IsModelSaysTheSameWithoutMakingTheKey) {
  const std::vector<std::string> names = {"NVIDIA A100-SXM4-80GB",
                                          "A100-SXM4-80GB",
                                          "A100",
                                          "Tesla V100",
                                          "V100",
                                          "NVIDIA Tesla V100",
                                          "NVIDIA",
                                          "NVIDIA-Tesla",
                                          "Tesla",
                                          "T4",
                                          "NVIDIA-"};
  for (const std::string& a : names) {
    for (const std::string& b : names) {
      EXPECT_EQ(IsModel(ModelKey(a), b), ModelKey(a) == ModelKey(b)) << a << " " << b;
    }
  }
}

TEST(ShapeOfWishes, DifferentWishesHaveDifferentShapes) {
  const std::vector<std::pair<std::string_view, const char*>> all = {
      {kGpuModelAnnotation, "T4"},       {kGpuModelAnnotation, "!T4"},
      {kGpuModelAnnotation, "T4,V4"},    {kGpuModelAnnotation, "T41:V"},
      {kGpuUuidAnnotation, "T4"},        {kGpuUuidAnnotation, "!T4"},
      {kLinkAnnotation, "required"},     {kNumaAnnotation, "required"},
      {kPlacementAnnotation, "binpack"}, {kPlacementAnnotation, "spread"},
      {kPlacementAnnotation, "topology"}};
  std::set<std::string> shapes;
  for (const auto& [key, value] : all) {
    shapes.insert(ShapeOfWishes(*CardWishesOf(With(key, value))));
  }
  EXPECT_EQ(shapes.size(), all.size());
  EXPECT_EQ(ShapeOfWishes(*CardWishesOf(With(kGpuModelAnnotation, "T4,NVIDIA A100"))),
            ShapeOfWishes(*CardWishesOf(With(kGpuModelAnnotation, "A100,T4"))));
}

ContainerDemand WholeCards(int cards) {
  ContainerDemand container;
  container.whole = true;
  container.cards = cards;
  container.core = 100;
  return container;
}

TEST(BandwidthSensitive, ByDefaultAContainerOfTwoWholeCards) {
  PodDemand demand;
  demand.containers = {WholeCards(1), WholeCards(1)};
  EXPECT_FALSE(BandwidthSensitive(demand));
  demand.containers = {WholeCards(1), WholeCards(2)};
  EXPECT_TRUE(BandwidthSensitive(demand));
  ContainerDemand shares;
  shares.cards = 4;
  shares.core = 20;
  demand.containers = {shares};
  EXPECT_FALSE(BandwidthSensitive(demand));
}

TEST(BandwidthSensitive, PlacementDecidesWhereItIsSaid) {
  PodDemand demand;
  demand.containers = {WholeCards(8)};
  demand.wishes.placement = Placement::kBinpack;
  EXPECT_FALSE(BandwidthSensitive(demand));
  demand.wishes.placement = Placement::kSpread;
  EXPECT_FALSE(BandwidthSensitive(demand));
  demand.containers = {WholeCards(1)};
  demand.wishes.placement = Placement::kTopology;
  EXPECT_TRUE(BandwidthSensitive(demand));
}

}  // namespace
}  // namespace aliquot::model
