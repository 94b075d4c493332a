// SPDX-License-Identifier: Apache-2.0
#include "scoring/policy_registry.h"
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

TEST_F(SnapshotTest, CarriesTheOutlookOfItsTimeAndNothingElseChanges) {
  ledger_.SetNode(NodeOf("n1", 1));
  const auto before = ledger_.Read();
  EXPECT_EQ(before->outlook().epoch, 0u);
  ledger_.SetOutlook(scoring::MakeOutlook(7, {{{}, 1, 50, {}, 1}}, {}));
  const auto after = ledger_.Read();
  EXPECT_EQ(after->outlook().epoch, 7u);
  EXPECT_EQ(before->outlook().epoch, 0u);
  EXPECT_EQ(after->generation(), before->generation());
}

TEST_F(SnapshotTest, CardsAreChosenByTheOutlookOfTheLedger) {
  const scoring::Placer placer(scoring::PlacerOptions(), *scoring::FindPolicy("fragmentation"));
  Ledger ledger(placer, catalog_, model::ResourceNames(), clock_);
  ledger.SetNode(NodeOf("n1", 2));
  const auto card_of = [&ledger](const std::string& name, int core) {
    const auto result = ledger.Commit(RequestFor(PodOf(name, core, 1), "n1"));
    return result.minors.at(0).at(0);
  };
  // 40 are taken of card 0. With pods of 60 to come it has room for one, and so has card 1 after 20
  // more, but not card 0. By the assumed mix both would lose as much, and the first be taken.
  EXPECT_EQ(card_of("a", 40), 0);
  ledger.SetOutlook(scoring::MakeOutlook(1, {{{}, 1, 60, {}, 1}}, {}));
  EXPECT_EQ(card_of("b", 20), 1);
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
