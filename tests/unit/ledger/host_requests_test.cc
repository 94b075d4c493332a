// SPDX-License-Identifier: Apache-2.0
// What is left of a node's processor and memory.
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

using model::HostAmount;

class HostRequestsTest : public LedgerFixture {
 protected:
  static model::Node NodeWith(const std::string& name, HostAmount allocatable) {
    model::Node node = NodeOf(name, 2);
    node.allocatable = allocatable;
    return node;
  }
  static model::Pod PodWith(const std::string& name, HostAmount host) {
    model::Pod pod = PodOf(name, 20, 15);
    pod.host = host;
    return pod;
  }
  scoring::NodeState At(const std::string& node) {
    snapshot_ = ledger_.Read();
    scoring::NodeState state;
    EXPECT_TRUE(snapshot_->Find(node, &state)) << node;
    return state;
  }

  std::shared_ptr<const Snapshot> snapshot_;
};

TEST_F(HostRequestsTest, ANodeThatSaysNothingIsNotKnown) {
  ledger_.SetNode(NodeOf("n1", 1));
  EXPECT_FALSE(At("n1").host_known);
}

TEST_F(HostRequestsTest, AHoldCountsAtOnceAndUntilItGoes) {
  ledger_.SetNode(NodeWith("n1", {8000, 4096}));
  ASSERT_TRUE(At("n1").host_known);
  ASSERT_EQ(Commit(PodWith("a", {1500, 1024}), "n1").outcome, CommitOutcome::kReserved);
  EXPECT_EQ(At("n1").host_free, (HostAmount{6500, 3072}));
  ledger_.Release("uid-a");
  EXPECT_EQ(At("n1").host_free, (HostAmount{8000, 4096}));
}

TEST_F(HostRequestsTest, OtherPodsCountBesideTheHolds) {
  ledger_.SetNode(NodeWith("n1", {8000, 4096}));
  ASSERT_EQ(Commit(PodWith("a", {1000, 1024}), "n1").outcome, CommitOutcome::kReserved);
  ledger_.SetOtherRequests({{"n1", {2000, 512}}, {"elsewhere", {1, 1}}});
  EXPECT_EQ(At("n1").host_free, (HostAmount{5000, 2560}));
  ledger_.SetOtherRequests({});
  EXPECT_EQ(At("n1").host_free, (HostAmount{7000, 3072}));
}

TEST_F(HostRequestsTest, OnlyNodesWhoseFigureChangedArePublished) {
  ledger_.SetNode(NodeWith("n1", {8000, 4096}));
  ledger_.SetNode(NodeWith("n2", {8000, 4096}));
  ledger_.SetOtherRequests({{"n1", {2000, 512}}, {"n2", {100, 1}}});
  const std::uint64_t first = At("n1").version;
  const std::uint64_t second = At("n2").version;
  ledger_.SetOtherRequests({{"n1", {2000, 512}}, {"n2", {200, 1}}});
  EXPECT_EQ(At("n1").version, first);
  EXPECT_NE(At("n2").version, second);
  const std::uint64_t generation = ledger_.generation();
  ledger_.SetOtherRequests({{"n1", {2000, 512}}, {"n2", {200, 1}}});
  EXPECT_EQ(ledger_.generation(), generation);
}

TEST_F(HostRequestsTest, ANodeThatComesAfterTheListKnowsIt) {
  ledger_.SetOtherRequests({{"n1", {2000, 512}}});
  ledger_.SetNode(NodeWith("n1", {8000, 4096}));
  EXPECT_EQ(At("n1").host_free, (HostAmount{6000, 3584}));
}

TEST_F(HostRequestsTest, OverBookingShowsAsLessThanNothing) {
  ledger_.SetNode(NodeWith("n1", {1000, 1024}));
  ledger_.SetOtherRequests({{"n1", {1500, 512}}});
  EXPECT_EQ(At("n1").host_free, (HostAmount{-500, 512}));
}

TEST_F(HostRequestsTest, AChangeOfWhatTheNodeHasCountsTheHoldsAnew) {
  ledger_.SetNode(NodeWith("n1", {8000, 4096}));
  ASSERT_EQ(Commit(PodWith("a", {1000, 1024}), "n1").outcome, CommitOutcome::kReserved);
  ledger_.SetOtherRequests({{"n1", {500, 0}}});
  ledger_.SetNode(NodeWith("n1", {16000, 4096}));
  EXPECT_EQ(At("n1").host_free, (HostAmount{14500, 3072}));
}

}  // namespace
}  // namespace aliquot::ledger
