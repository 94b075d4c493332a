// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

class SnapshotTest : public LedgerFixture {};

TEST_F(SnapshotTest, StaysAsItWasWhileTheLedgerMovesOn) {
  ledger_.SetNode(NodeOf("n1", 1));
  const auto before = ledger_.Read();
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  scoring::NodeState state;
  ASSERT_TRUE(before->Find("n1", &state));
  EXPECT_EQ(state.cards[0].core_used, 0);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
}

TEST_F(SnapshotTest, NothingChangedMeansTheSameSnapshot) {
  ledger_.SetNode(NodeOf("n1", 1));
  EXPECT_EQ(ledger_.Read().get(), ledger_.Read().get());
}

TEST_F(SnapshotTest, NodesOfDifferentSizesShareABlock) {
  // Replacing a node by one of another size must not shift its neighbours' cards.
  for (int i = 0; i < 130; ++i) {
    ledger_.SetNode(NodeOf("n" + std::to_string(i), i % 5));
  }
  ledger_.SetNode(NodeOf("n3", 8));
  ledger_.SetNode(NodeOf("n4", 1));
  const auto snapshot = ledger_.Read();
  for (int i = 0; i < 130; ++i) {
    scoring::NodeState state;
    ASSERT_TRUE(snapshot->Find("n" + std::to_string(i), &state));
    const std::size_t cards = i == 3 ? 8 : i == 4 ? 1 : static_cast<std::size_t>(i % 5);
    ASSERT_EQ(state.card_count, cards) << i;
    ASSERT_EQ(state.facts->inventory->cards.size(), cards) << i;
    for (std::size_t card = 0; card < cards; ++card) {
      EXPECT_EQ(state.cards[card].mib_total, 16384);
    }
  }
}

}  // namespace
}  // namespace aliquot::ledger
