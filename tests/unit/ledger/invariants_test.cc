// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

// Random commits, confirmations, releases, removals and node changes, with printed seeds. After
// every step the three invariants hold: nothing is over-booked, every sum equals what the live pods
// say, and a ledger built from scratch out of the cluster's objects is the same.
class InvariantsTest : public LedgerFixture, public ::testing::WithParamInterface<int> {
 protected:
  struct Live {
    model::Pod pod;
    bool bound = false;
  };

  void Step(std::mt19937& random) {
    const int dice = static_cast<int>(random() % 10);
    if (dice < 5) {
      Create(random);
    } else if (live_.empty()) {
      return;
    } else {
      auto at = std::next(live_.begin(), static_cast<std::ptrdiff_t>(random() % live_.size()));
      ActOn(at, dice);
    }
  }

  void Create(std::mt19937& random) {
    static const int kCores[] = {5, 20, 35, 50, 70, 99, 100, 200};
    const int core = kCores[random() % 8];
    const model::Pod pod = PodOf("p" + std::to_string(next_++), core,
                                 core < 100 ? 1 + static_cast<int>(random() % 20) : 0);
    const CommitResult result = Commit(pod, "n" + std::to_string(random() % 3));
    if (result.outcome == CommitOutcome::kReserved) {
      live_[pod.uid] = Live{BoundWith(pod, result), false};
    }
  }

  void ActOn(std::map<std::string, Live>::iterator at, int dice) {
    Live& live = at->second;
    if (dice < 7) {
      dice == 5 ? ledger_.Confirm(at->first) : static_cast<void>(ledger_.SetPod(live.pod));
      live.bound = true;
    } else if (dice == 7 && !live.bound) {
      ledger_.Release(at->first);
      live_.erase(at);
    } else if (dice == 8) {
      ledger_.RemovePod(at->first);
      live_.erase(at);
    } else {
      const std::string node = live.pod.node_name;
      ledger_.RemoveNode(node);
      ledger_.SetNode(NodeOf(node, 4));
    }
  }

  void Check() {
    Ledger replayed(placer_, catalog_, model::ResourceNames(), clock_);
    for (const auto& [uid, live] : live_) {
      ASSERT_EQ(replayed.SetPod(live.pod).effect, PodEffect::kHeld) << uid;
    }
    const auto snapshot = ledger_.Read();
    for (int n = 0; n < 3; ++n) {
      const std::string name = "n" + std::to_string(n);
      replayed.SetNode(NodeOf(name, 4));
      scoring::NodeState ours;
      scoring::NodeState theirs;
      const auto replay = replayed.Read();
      ASSERT_TRUE(snapshot->Find(name, &ours));
      ASSERT_TRUE(replay->Find(name, &theirs));
      for (int card = 0; card < 4; ++card) {
        ASSERT_LE(ours.cards[card].core_used, 100);
        ASSERT_LE(ours.cards[card].mib_used, ours.cards[card].mib_total);
        ASSERT_EQ(ours.cards[card].core_used, theirs.cards[card].core_used)
            << name << " card " << card;
        ASSERT_EQ(ours.cards[card].mib_used, theirs.cards[card].mib_used)
            << name << " card " << card;
        ASSERT_EQ(ours.cards[card].pods, theirs.cards[card].pods) << name << " card " << card;
      }
    }
  }

  std::map<std::string, Live> live_;
  int next_ = 0;
};

TEST_P(InvariantsTest, HoldAfterEveryStep) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int n = 0; n < 3; ++n) {
    ledger_.SetNode(NodeOf("n" + std::to_string(n), 4));
  }
  for (int step = 0; step < 300; ++step) {
    Step(random);
    ASSERT_NO_FATAL_FAILURE(Check()) << "step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, InvariantsTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace aliquot::ledger
