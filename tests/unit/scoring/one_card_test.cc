// SPDX-License-Identifier: Apache-2.0
#include "scoring/one_card.h"

#include <gtest/gtest.h>

#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

TEST(CardForAll, IsTheFirstCardThatHoldsThePeak) {
  // Peak: init 50 alone, later 20 + 30 = 50 %; memory 2048 against 256 + 2048 = 2304 MiB.
  const model::PodDemand demand =
      Pod({Share(50, 2048, kInit), Share(20, 256, kSidecar), Share(30, 2048)});
  EXPECT_EQ(
      CardForAll(TestNode({Card(16384, 51, 0), Card(2048), Card(2304, 50, 0)}).state(), demand, 16),
      2);
}

TEST(CardForAll, IsNoneWhenEachCardLacksSomething) {
  const model::PodDemand demand = Pod({Share(20, 256), Share(30, 2048)});
  EXPECT_EQ(CardForAll(TestNode({Card(16384, 51, 0), Card(2303), UnusableCard(16384),
                                 Card(16384, 1, 0, 16)})
                           .state(),
                       demand, 16),
            -1);
}

TEST(CardForAll, IsNoneForWholeAndForSeveralCards) {
  const TestNode node({Card(16384), Card(16384)});
  EXPECT_EQ(CardForAll(node.state(), Pod({Whole(1, kInit), Share(30, 2048)}), 16), -1);
  model::ContainerDemand two = Share(10, 256);
  two.cards = 2;
  EXPECT_EQ(CardForAll(node.state(), Pod({two, Share(30, 2048)}), 16), -1);
}

}  // namespace
}  // namespace aliquot::scoring
