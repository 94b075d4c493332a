// SPDX-License-Identifier: Apache-2.0
#include "scoring/fullness.h"

#include <gtest/gtest.h>

#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

TEST(PermilleOf, IsTheSameInNarrowAndInWideArithmetic) {
  // The narrow form ends at 2^22 - 1; both sides of it and the values that only the wide form has.
  const std::int64_t edge = (std::int64_t{1} << 22) - 1;
  EXPECT_EQ(PermilleOf(edge, edge), 1000);
  EXPECT_EQ(PermilleOf(edge - 1, edge), 999);
  EXPECT_EQ(PermilleOf(edge + 1, edge + 1), 1000);
  EXPECT_EQ(PermilleOf(edge * 1000, edge), 1'000'000);
  EXPECT_EQ(PermilleOf(1, 3), 333);
  EXPECT_EQ(PermilleOf(-1, 3), -333);
  EXPECT_EQ(PermilleOf(5, 0), 5000);
}

TEST(UsedOfNode, CountsUsableCardsOnly) {
  // Usable: 30 of 200 %, 4096 of 24576 MiB.
  const TestNode node({Card(16384, 30, 4096), Card(8192), UnusableCard(65536)});
  EXPECT_EQ(UsedOfNode(node.state()).core, 150);
  EXPECT_EQ(UsedOfNode(node.state()).memory, 166);
}

TEST(UsedOfNode, ANodeWithoutUsableCardsIsEmpty) {
  EXPECT_EQ(UsedOfNode(TestNode({UnusableCard(1)}).state()).sum(), 0);
}

}  // namespace
}  // namespace aliquot::scoring
