// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <thread>

#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

class ConcurrencyTest : public LedgerFixture {};

TEST_F(ConcurrencyTest, CommitsFromManyThreadsNeverOverBook) {
  // 2 nodes x 2 cards hold exactly 20 shares of 20 %; 8 threads ask for 160.
  ledger_.SetNode(NodeOf("n0", 2));
  ledger_.SetNode(NodeOf("n1", 2));
  std::atomic<int> reserved{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const model::Pod pod = PodOf("p" + std::to_string(t) + "-" + std::to_string(i), 20, 1);
        if (Commit(pod, "n" + std::to_string(i % 2)).outcome == CommitOutcome::kReserved) {
          ++reserved;
        }
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(reserved.load(), 20);
  for (int n = 0; n < 2; ++n) {
    for (int card = 0; card < 2; ++card) {
      EXPECT_EQ(CardAt("n" + std::to_string(n), card).core_used, 100);
    }
  }
}

TEST_F(ConcurrencyTest, OneUidCommittedByManyThreadsHoldsOnce) {
  ledger_.SetNode(NodeOf("n0", 2));
  ledger_.SetNode(NodeOf("n1", 2));
  const model::Pod pod = PodOf("one", 20, 1);
  std::atomic<int> reserved{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      if (Commit(pod, "n" + std::to_string(t % 2)).outcome == CommitOutcome::kReserved) {
        ++reserved;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(reserved.load(), 1);
  EXPECT_EQ(ledger_.HoldsOf("n0").size() + ledger_.HoldsOf("n1").size(), 1u);
}

TEST_F(ConcurrencyTest, TheWatchAndOurBindsMayRace) {
  ledger_.SetNode(NodeOf("n0", 8));
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) {
      const auto snapshot = ledger_.Read();
      for (const scoring::NodeState& node : snapshot->Nodes()) {
        for (std::size_t card = 0; card < node.card_count; ++card) {
          ASSERT_LE(node.cards[card].core_used, 100);
        }
      }
    }
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        const model::Pod pod = PodOf("p" + std::to_string(t) + "-" + std::to_string(i), 50, 1);
        const CommitResult result = Commit(pod, "n0");
        if (result.outcome != CommitOutcome::kReserved) {
          continue;
        }
        i % 2 == 0 ? ledger_.Confirm(pod.uid)
                   : static_cast<void>(ledger_.SetPod(BoundWith(pod, result)));
        ledger_.RemovePod(pod.uid);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  stop = true;
  reader.join();
  for (int card = 0; card < 8; ++card) {
    EXPECT_TRUE(CardAt("n0", card).idle());
  }
}

}  // namespace
}  // namespace aliquot::ledger
