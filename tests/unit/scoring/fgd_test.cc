// SPDX-License-Identifier: Apache-2.0
#include "scoring/fgd.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "scoring/fragment_measure.h"
#include "scoring/placer.h"
#include "tests/unit/scoring/outlooks.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

constexpr std::int64_t kTenCores = 10'000;

// Percent that the only class cannot use of cards with 30, 50 and 100 left.
std::int64_t Unusable(const PodClass& pods, std::int64_t cpu_milli = kTenCores,
                      std::string_view model = "A100") {
  const FragmentMeasure measure({pods});
  constexpr std::array<int, 3> kLeft = {30, 50, 100};
  return measure.Of(model, kLeft.data(), kLeft.size(), cpu_milli) / kOne;
}

// The worked example of the paper's rule: cards with 0.3, 0.5 and 1.0 left, ten cores.
TEST(FragmentMeasure, CountsTheCardsThatHaveTooLittleLeft) {
  EXPECT_EQ(Unusable(Pods(1, 1, 47, 8000)), 30);
  EXPECT_EQ(Unusable(Pods(1, 1, 100, 8000)), 80);
}

TEST(FragmentMeasure, AllIsUnusableToAPodThatDoesNotFit) {
  EXPECT_EQ(Unusable(Pods(1, 1, 47, 12'000)), 180);
  EXPECT_EQ(Unusable(Pods(1, 2, 100, 8000)), 180);
  EXPECT_EQ(Unusable(Pods(1, 1, 47, 8000, {"T4"})), 180);
  EXPECT_EQ(Unusable(Pods(1, 0, 0, 1000)), 180);
}

TEST(FragmentMeasure, UnknownProcessorIsNeverShort) {
  EXPECT_EQ(Unusable(Pods(1, 1, 47, 12'000), -1), 30);
}

TEST(FragmentMeasure, WeighsTheTypicalPodsOnly) {
  // 80 and 20 %: 0.8 * 30 + 0.2 * 80 = 40.
  constexpr std::array<int, 3> kLeft = {30, 50, 100};
  const FragmentMeasure measure({Pods(80, 1, 47), Pods(20, 1, 100)});
  EXPECT_NEAR(static_cast<double>(measure.Of("", kLeft.data(), 3, 0)) / kOne, 40, 1e-6);
  // The first 96 % are typical: what is beyond counts nothing.
  const FragmentMeasure head({Pods(96, 1, 47), Pods(4, 1, 100)});
  EXPECT_NEAR(static_cast<double>(head.Of("", kLeft.data(), 3, 0)) / kOne, 30, 1e-6);
}

TEST(FragmentScore, IsTheIntegerOfTheLogisticFunction) {
  for (int growth = -6000; growth <= 6000; growth += 7) {  // 1/1000 of a card
    const double exact = std::floor(100 / (1 + std::exp(growth / 1000.0)));
    const std::int64_t percent = kOne / 10 * growth;
    EXPECT_EQ(FragmentScore(percent), static_cast<int>(exact)) << growth;
  }
}

TEST(Fgd, TakesTheFirstOfTheCardsThatFragmentLeast) {
  const auto outlook = Expecting({Pods(1, 1, 50)});
  // 10 % on 60 left keeps a half; on 55 left it loses it; on an idle card it keeps one.
  const TestNode node({Card(16384, 45, 256), Card(16384, 40, 256), Card(16384, 40, 256)});
  const model::PodDemand demand = Pod({Share(10, 256)});
  const NodeState state = node.state();
  const Ask ask(demand, false, *outlook);
  const Fgd fgd;
  EXPECT_EQ(fgd.ChooseCard(state, ask, demand.containers[0], 0b111), 1);
  // 60 usable become 50: what is unusable does not change, so the score is that of 0.
  EXPECT_EQ(fgd.RankCard(state, ask, demand.containers[0], 1), 50);
  // 55 usable become 45 unusable: 0.45 cards more; 100 / (1 + e^0.45) = 38.9.
  EXPECT_EQ(fgd.RankCard(state, ask, demand.containers[0], 0), 38);
}

TEST(Fgd, WholeCardsAreTheLowestWhateverTheirLinks) {
  const TestNode node(std::vector<CardState>(4, Card(16384)), "SYS,NV4,SYS,SYS,NV4,SYS");
  EXPECT_EQ(Fgd().ChooseSet(node.state(), Pod({Whole(2)}), 0b1111, 2), 0b0011u);
}

}  // namespace
}  // namespace aliquot::scoring
