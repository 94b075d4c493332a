// SPDX-License-Identifier: Apache-2.0
#include "model/demand.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

GpuContainer Container(std::string name, std::string core, std::string memory,
                       ContainerKind kind = ContainerKind::kApp) {
  GpuContainer container;
  container.name = std::move(name);
  container.kind = kind;
  if (!core.empty()) {
    container.quantities.push_back({"tencent.com/vcuda-core", std::move(core)});
  }
  if (!memory.empty()) {
    container.quantities.push_back({"tencent.com/vcuda-memory", std::move(memory)});
  }
  return container;
}

Pod PodOf(std::vector<GpuContainer> containers) {
  Pod pod;
  pod.gpu_containers = std::move(containers);
  return pod;
}

std::string Refusal(const Pod& pod) { return DemandOf(pod, ResourceNames()).status().message(); }

TEST(DemandOf, AFifthOfAGpu) {
  const auto demand = DemandOf(PodOf({Container("main", "20", "15")}), ResourceNames());
  ASSERT_TRUE(demand.ok());
  ASSERT_EQ(demand->containers.size(), 1u);
  EXPECT_EQ(demand->containers[0].cards, 1);
  EXPECT_EQ(demand->containers[0].core, 20);
  EXPECT_EQ(demand->containers[0].mib, 15 * 256);
  EXPECT_FALSE(demand->containers[0].whole);
}

TEST(DemandOf, WholeCardsIgnoreMemory) {
  const auto demand = DemandOf(PodOf({Container("main", "400", "7")}), ResourceNames());
  ASSERT_TRUE(demand.ok());
  EXPECT_EQ(demand->containers[0].cards, 4);
  EXPECT_EQ(demand->containers[0].core, 100);
  EXPECT_TRUE(demand->containers[0].whole);
  EXPECT_EQ(demand->containers[0].mib, 0);
}

TEST(DemandOf, RefusalsNameFieldValueAndRemedy) {
  EXPECT_EQ(Refusal(PodOf({Container("main", "150", "")})),
            "container \"main\": tencent.com/vcuda-core is 150; above 100 use a multiple of 100 "
            "(whole GPUs)");
  EXPECT_EQ(
      Refusal(PodOf({Container("main", "20", "")})),
      "container \"main\": tencent.com/vcuda-core is 20 without tencent.com/vcuda-memory; add "
      "tencent.com/vcuda-memory, 1 for each 256 MiB");
  EXPECT_EQ(Refusal(PodOf({Container("main", "", "4")})),
            "container \"main\": tencent.com/vcuda-memory is 4 without tencent.com/vcuda-core; add "
            "tencent.com/vcuda-core, 1 to 99 for a share of one GPU");
  EXPECT_EQ(Refusal(PodOf({Container("main", "0", "4")})),
            "container \"main\": tencent.com/vcuda-core is 0; leave it out, or ask for at least 1");
  EXPECT_EQ(Refusal(PodOf({Container("main", "-5", "4")})),
            "container \"main\": tencent.com/vcuda-core is \"-5\", not a whole number of 0 or "
            "more; write digits only");
}

TEST(DemandOf, AQuantityBeyondSixtyFourBitsIsTooMuchNotMalformed) {
  for (const char* huge : {"9223372036854775808", "99999999999999999999999", "16Ei", "10E"}) {
    EXPECT_EQ(Refusal(PodOf({Container("main", huge, "4")})),
              "container \"main\": tencent.com/vcuda-core is " + std::string(huge) +
                  ", more than any node has; ask for less");
  }
}

TEST(DemandOf, AnUnknownNameOfOurPrefixIsATypingError) {
  GpuContainer container = Container("main", "20", "15");
  container.quantities.push_back({"tencent.com/vcuda-cores", "20"});
  EXPECT_EQ(Refusal(PodOf({container})),
            "container \"main\": resource tencent.com/vcuda-cores is not known; use "
            "tencent.com/vcuda-core "
            "and tencent.com/vcuda-memory");
}

TEST(DemandOf, MoreThanSixteenGpuContainersAreRefused) {
  EXPECT_EQ(Refusal(PodOf(std::vector<GpuContainer>(17, Container("c", "1", "1")))),
            "the pod has 17 GPU containers; use at most 16");
}

TEST(DemandOf, TheCeilingIsCheckedAgainstEveryShare) {
  Pod pod = PodOf({Container("a", "20", "1"), Container("b", "40", "1")});
  pod.annotations[std::string(kCoreLimitAnnotation)] = "30";
  EXPECT_EQ(Refusal(pod),
            "annotation tencent.com/vcuda-core-limit is \"30\", below the share of 40 of container "
            "\"b\"; use "
            "at least that, or remove it");
  pod.annotations[std::string(kCoreLimitAnnotation)] = "250";
  EXPECT_EQ(DemandOf(pod, ResourceNames())->ceiling, 100);  // clipped; admission warns
  pod.annotations[std::string(kCoreLimitAnnotation)] = "half";
  EXPECT_FALSE(DemandOf(pod, ResourceNames()).ok());
}

TEST(DemandOf, PodsThatAskForTheSameHaveOneShape) {
  const auto a = DemandOf(PodOf({Container("a", "20", "15")}), ResourceNames());
  const auto b = DemandOf(PodOf({Container("b", "20", "15")}), ResourceNames());
  const auto init =
      DemandOf(PodOf({Container("a", "20", "15", ContainerKind::kInit)}), ResourceNames());
  EXPECT_EQ(a->shape, b->shape);
  EXPECT_NE(a->shape, init->shape);
}

TEST(ParseCount, ReadsTheQuantityGrammar) {
  EXPECT_EQ(*ParseCount("1k"), 1000);
  EXPECT_EQ(*ParseCount("1Ki"), 1024);
  EXPECT_EQ(*ParseCount("1e3"), 1000);
  EXPECT_EQ(*ParseCount("2E2"), 200);
  EXPECT_EQ(*ParseCount("9223372036854775807"), INT64_MAX);
  for (const char* bad :
       {"0.5", "500m", "-1", "", "k", "1kk", "9223372036854775808", "10E", "1e99", "1Xi", "NaN"}) {
    EXPECT_FALSE(ParseCount(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace aliquot::model
