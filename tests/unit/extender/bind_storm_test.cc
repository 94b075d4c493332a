// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <map>
#include <random>
#include <thread>

#include "api/allocation_codec.h"
#include "tests/unit/extender/bind_fixture.h"

// Many binds at once over a few cards, judged from the pods' annotations alone.

namespace aliquot::extender {
namespace {

constexpr int kThreads = 32;

class BindStormTest : public BindFixture {
 protected:
  // Core percent of every card by what the pods of the cluster say.
  std::map<std::string, int> CoreByCard() const {
    std::map<std::string, int> core;
    for (const model::Pod& pod : cluster_.Pods()) {
      if (pod.node_name.empty()) {
        continue;
      }
      const auto record = api::ParseAllocation(pod.annotations.at("aliquot.io/allocation"));
      EXPECT_TRUE(record.ok());
      EXPECT_EQ(record->uid, pod.uid);
      EXPECT_EQ(record->node, pod.node_name);
      for (const model::AllocatedCard& card : record->containers[0].cards) {
        core[card.uuid] += card.core;
      }
    }
    return core;
  }

  void ExpectSound() {
    std::map<std::string, int> sent;
    for (const model::BindOrder& order : cluster_.orders()) {
      ++sent[order.uid];
    }
    for (const auto& [card, core] : CoreByCard()) {
      EXPECT_LE(core, 100) << card;
    }
    for (const model::Pod& pod : cluster_.Pods()) {
      EXPECT_EQ(IsBound(pod), !pod.node_name.empty()) << pod.uid;
    }
  }

  template <typename F>
  void OnThreads(F f) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&f, i] { f(i); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
};

// 32 threads bind 128 pods of 30 % to two nodes of two cards: 3 a card, 12 in all, and no more.
TEST_F(BindStormTest, NeverOverbooksAndFillsWhatThereIs) {
  AddNode("n1", 2);
  AddNode("n2", 2);
  std::vector<model::Pod> pods;
  for (int i = 0; i < 128; ++i) {
    pods.push_back(PodOf("p" + std::to_string(i), 30, 4));
    AddPending(pods.back());
  }
  std::atomic<int> bound{0};
  OnThreads([&](int thread) {
    for (int i = thread; i < 128; i += kThreads) {
      const model::Pod& pod = pods[static_cast<std::size_t>(i)];
      if (BindNow(pod, i % 2 == 0 ? "n1" : "n2").empty()) {
        ++bound;
      }
    }
  });
  EXPECT_EQ(bound.load(), 12);
  for (const auto& [card, core] : CoreByCard()) {
    EXPECT_EQ(core, 90) << card;
  }
  ExpectSound();
  EXPECT_EQ(cluster_.binds(), 12);
}

// Every thread binds the same pods, half of them to another node.
TEST_F(BindStormTest, APodAskedForByAllIsBoundOnce) {
  AddNode("n1", 8);
  AddNode("n2", 8);
  std::vector<model::Pod> pods;
  for (int i = 0; i < 12; ++i) {
    pods.push_back(PodOf("p" + std::to_string(i), 100, 0));
    AddPending(pods.back());
  }
  OnThreads([&](int thread) {
    for (const model::Pod& pod : pods) {
      BindNow(pod, thread % 2 == 0 ? "n1" : "n2");
    }
  });
  EXPECT_EQ(cluster_.binds(), 12);
  ExpectSound();
  int cards = 0;
  for (const auto& [card, core] : CoreByCard()) {
    EXPECT_EQ(core, 100) << card;
    ++cards;
  }
  EXPECT_EQ(cards, 12);
}

// Answers and requests get lost; the watch lags; then everything is settled.
TEST_F(BindStormTest, LostAnswersNeitherDoubleNorLeak) {
  MakeDesk(kThreads);
  AddNode("n1", 4);
  std::vector<model::Pod> pods;
  for (int i = 0; i < 24; ++i) {
    pods.push_back(PodOf("p" + std::to_string(i), 40, 4));
    AddPending(pods.back());
    cluster_.NextBinds({i % 3 == 0   ? BindFate::kLoseAnswer
                        : i % 3 == 1 ? BindFate::kLoseRequest
                                     : BindFate::kApply});
  }
  std::atomic<bool> done{false};
  std::thread time([&] {
    while (!done) {
      AdvanceAndTick(std::chrono::milliseconds(500));
      std::this_thread::yield();
    }
  });
  OnThreads([&](int thread) {
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = static_cast<std::size_t>(thread); i < pods.size(); i += kThreads) {
        BindNow(pods[i], "n1");
      }
    }
  });
  // kube-scheduler asks again for what was not bound, until the node is full.
  const auto full = [&] {
    for (const model::Pod& pod : pods) {
      BindNow(pod, "n1");
    }
    return ledger_.Counts().pods_bound == 8;
  };
  EXPECT_TRUE(Eventually(full));
  EXPECT_TRUE(Eventually([&] { return desk_->pending() == 0; }));
  done = true;
  time.join();
  ExpectSound();
  for (const auto& [card, core] : CoreByCard()) {
    EXPECT_EQ(core, 80)
        << card;  // two of 40 % a card: nothing that got lost holds its cards for ever
  }
  const auto counts = ledger_.Counts();
  EXPECT_EQ(counts.pods_reserved, 0);
  EXPECT_EQ(counts.pods_bound, 8);
}

}  // namespace
}  // namespace aliquot::extender
