// SPDX-License-Identifier: Apache-2.0
#include "model/gpu_count.h"

#include <gtest/gtest.h>

#include "model/names.h"

namespace aliquot::model {
namespace {

Pod Asking(const std::string& count, const std::string& core, const std::string& memory = "16") {
  Pod pod;
  pod.annotations[std::string(kGpuCountAnnotation)] = count;
  GpuContainer container;
  container.name = "main";
  container.quantities = {{"tencent.com/vcuda-core", core}, {"tencent.com/vcuda-memory", memory}};
  pod.gpu_containers.push_back(container);
  return pod;
}

std::string Refusal(const std::string& count, const std::string& core = "20") {
  return DemandOf(Asking(count, core), ResourceNames()).status().message();
}

TEST(GpuCount, AShareIsSpreadEvenlyOverSoManyCards) {
  const auto demand = DemandOf(Asking("4", "20"), ResourceNames());
  ASSERT_TRUE(demand.ok());
  // 20 % and 16 units of 256 MiB on 4 cards: 5 % and 1024 MiB on each.
  EXPECT_EQ(demand->containers[0].cards, 4);
  EXPECT_EQ(demand->containers[0].core, 5);
  EXPECT_EQ(demand->containers[0].mib, 1024);
  EXPECT_FALSE(demand->containers[0].whole);
}

TEST(GpuCount, OneIsTheDefault) {
  const auto demand = DemandOf(Asking("1", "20"), ResourceNames());
  Pod plain = Asking("1", "20");
  plain.annotations.clear();
  EXPECT_EQ(demand->shape, DemandOf(plain, ResourceNames())->shape);
  EXPECT_NE(demand->shape, DemandOf(Asking("2", "20"), ResourceNames())->shape);
}

TEST(GpuCount, IsAWholeNumberUpToSixteen) {
  EXPECT_EQ(Refusal("16", "32"), "");
  for (const char* bad : {"0", "17", "-1", "two", "1.5", ""}) {
    EXPECT_EQ(Refusal(bad), "annotation aliquot.io/gpu-count is \"" + std::string(bad) +
                                "\"; use a whole number from 1 to 16");
  }
}

TEST(GpuCount, MustDivideCoreAndMemoryOfEveryShare) {
  EXPECT_EQ(Refusal("3"),
            "annotation aliquot.io/gpu-count is \"3\"; it does not divide core 20 and memory 16 of "
            "container \"main\": use a number that divides both");
  Pod second = Asking("4", "20");
  second.gpu_containers.push_back(Asking("4", "8", "15").gpu_containers[0]);
  second.gpu_containers[1].name = "beside";
  EXPECT_EQ(DemandOf(second, ResourceNames()).status().message(),
            "annotation aliquot.io/gpu-count is \"4\"; it does not divide core 8 and memory 15 of "
            "container \"beside\": use a number that divides both");
}

TEST(GpuCount, DoesNotGoWithWholeCards) {
  EXPECT_EQ(Refusal("2", "200"),
            "annotation aliquot.io/gpu-count is \"2\"; it divides shares, but the demand of "
            "container \"main\" is whole GPUs: remove it");
}

TEST(GpuCount, TheCeilingIsThatOfOneCard) {
  Pod pod = Asking("4", "40");
  pod.annotations[std::string(kCoreLimitAnnotation)] = "15";
  EXPECT_EQ(DemandOf(pod, ResourceNames())->ceiling, 15);  // at least 40 / 4
  pod.annotations[std::string(kCoreLimitAnnotation)] = "9";
  EXPECT_FALSE(DemandOf(pod, ResourceNames()).ok());
}

TEST(DemandOfSpec, AnnotationsChangeNothing) {
  Pod pod = Asking("3", "20");
  EXPECT_FALSE(DemandOf(pod, ResourceNames()).ok());
  const auto demand = DemandOfSpec(pod, ResourceNames());
  ASSERT_TRUE(demand.ok());
  EXPECT_EQ(demand->containers[0].cards, 1);
  EXPECT_EQ(demand->containers[0].core, 20);
}

TEST(SpreadOver, ASpreadShareCanBeSpreadAnew) {
  ContainerDemand share;
  share.core = 20;
  share.mib = 4096;
  ASSERT_TRUE(SpreadOver(4, share));
  ASSERT_TRUE(SpreadOver(2, share));
  EXPECT_EQ(share.core, 10);
  EXPECT_EQ(share.mib, 2048);
  EXPECT_FALSE(SpreadOver(3, share));
  EXPECT_EQ(share.cards, 2);
}

}  // namespace
}  // namespace aliquot::model
