// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/live_grants.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

TEST(LiveGrants, AGrantIsBookedWithItsDecision) {
  const FactsOf facts;
  LiveGrants live;
  ASSERT_TRUE(live.Decide(Ids(0, 60), Share("u-1", "GPU-0", 60, 1024), facts()).ok());
  EXPECT_EQ(live.HoldingsByCard().at("GPU-0").core, 60);
  EXPECT_EQ(live.HoldingsByCard().at("GPU-0").mib, 1024);
  EXPECT_EQ(live.DeviceIds().size(), 60u);
  EXPECT_EQ(live.PodUids(), std::set<std::string>{"u-1"});
  const auto second = live.Decide(Ids(60, 60), Share("u-2", "GPU-0", 60, 1024), facts());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.refusal().reason, RefusalReason::kCardBusy);
}

TEST(LiveGrants, AGrantThatWasNotWrittenIsTakenBack) {
  const FactsOf facts;
  LiveGrants live;
  const auto plan = live.Decide(Ids(0, 60), Share("u-1", "GPU-0", 60, 1024), facts());
  ASSERT_TRUE(plan.ok());
  live.Cancel(*plan);
  EXPECT_TRUE(live.Snapshot()->empty());
}

// The kubelet waits 30 s and asks again: the first write fails when the second has succeeded.
TEST(LiveGrants, TakingABookingBackLeavesALaterOneOfTheSameContainer) {
  const FactsOf facts;
  LiveGrants live;
  const ContainerIdentity pod = Share("u-1", "GPU-0", 60, 1024);
  const auto first = live.Decide(Ids(0, 60), pod, facts());
  const auto second = live.Decide(Ids(0, 60), pod, facts());
  ASSERT_TRUE(first.ok() && second.ok());
  live.Cancel(*first);
  EXPECT_EQ(live.HoldingsByCard()["GPU-0"].core, 60);
  live.Cancel(*second);
  EXPECT_TRUE(live.Snapshot()->empty());
}

TEST(LiveGrants, APodEndsOnce) {
  const FactsOf facts;
  LiveGrants live;
  ASSERT_TRUE(live.Decide(Ids(0, 10), Share("u-1", "GPU-0", 10, 1024), facts()).ok());
  EXPECT_EQ(live.EndPod("u-1"), std::vector<std::string>{GrantName(Ids(0, 10))});
  EXPECT_TRUE(live.EndPod("u-1").empty());
}

TEST(LiveGrants, ARecalledGrantCountsAndDoesNotReplaceALaterOne) {
  const FactsOf facts;
  LiveGrants live;
  const auto plan = live.Decide(Ids(0, 10), Share("u-1", "GPU-0", 10, 1024), facts());
  ASSERT_TRUE(plan.ok());
  GrantRecord same = plan->record;
  same.cards[0].core = 90;
  GrantRecord other = same;
  other.device_ids = Ids(10, 90);
  other.name = GrantName(other.device_ids);
  other.identity.uid = "u-2";
  live.Recall({same, other});
  EXPECT_EQ(live.HoldingsByCard().at("GPU-0").core, 100);  // 10 of u-1 and 90 of u-2
}

TEST(LiveGrants, AnInitContainersGrantEndsWithTheNextStart) {
  const FactsOf facts;
  LiveGrants live;
  ContainerIdentity init = Share("u-1", "GPU-0", 60, 1024);
  ContainerIdentity main = init;
  init.container = "prep";
  init.kind = model::ContainerKind::kInit;
  init.allocation = main.allocation =
      RecordText("u-1", ContainerText("prep", CardText("GPU-0", 60, 1024)) + "," +
                            ContainerText("main", CardText("GPU-0", 60, 1024)));
  ASSERT_TRUE(live.Decide(Ids(0, 60), init, facts()).ok());
  // The kubelet gives a later container the same IDs.
  ASSERT_TRUE(live.Decide(Ids(0, 60), main, facts()).ok());
  EXPECT_EQ(live.HoldingsByCard().at("GPU-0").core, 60);
  EXPECT_EQ(live.Snapshot()->size(), 1u);
}

// Ten threads ask for 30 % of one card at once: three can have it.
TEST(LiveGrants, ContainersThatStartAtOnceSeeEachOther) {
  const FactsOf facts;
  LiveGrants live;
  std::atomic<int> granted{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&, i] {
      const auto plan =
          live.Decide(Ids(30 * i, 30), Share("u-" + std::to_string(i), "GPU-0", 30, 256), facts());
      granted += plan.ok() ? 1 : 0;
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(granted, 3);
  EXPECT_EQ(live.HoldingsByCard().at("GPU-0").core, 90);
}

// Starts, restarts, failures and ends in any order, by records that a faulty or hostile writer
// chose: cards are never over-booked and no name is held twice. The sums are made from the answers
// alone, not by asking the book.
TEST(LiveGrantsProperty, NoCardIsEverOverBookedAndNoNameHeldTwice) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto below = [&](int limit) { return static_cast<int>(random() % limit); };
  const FactsOf facts;
  LiveGrants live;
  std::map<std::string, GrantRecord> held;  // by pod
  int granted = 0;
  int refused = 0;
  for (int step = 0; step < 4000; ++step) {
    const std::string uid = "u-" + std::to_string(below(24));
    if (below(4) == 0) {
      live.EndPod(uid);
      held.erase(uid);
      continue;
    }
    // Few first IDs, so that the same sets come again.
    const bool whole = below(8) == 0;
    const int core = whole ? 100 : 1 + below(60);
    const std::int64_t mib = whole ? 15360 : 256 * (1 + below(40));
    const ContainerIdentity who = Share(uid, "GPU-" + std::to_string(below(4)), core, mib);
    const auto plan = live.Decide(Ids(100 * below(6), core), who, facts());
    if (!plan.ok()) {
      ++refused;
      continue;
    }
    ++granted;
    held[uid] = plan->record;
    if (below(10) == 0) {
      live.Cancel(*plan);
      held.erase(uid);
    }
    std::map<std::string, std::pair<int, std::int64_t>> sums;
    std::set<std::string> names;
    for (const auto& [pod, record] : held) {
      ASSERT_TRUE(names.insert(record.name).second) << record.name;
      for (const GrantedCard& card : record.cards) {
        sums[card.uuid].first += card.core;
        sums[card.uuid].second += card.mib;
      }
    }
    for (const auto& [uuid, sum] : sums) {
      ASSERT_LE(sum.first, 100) << uuid;
      ASSERT_LE(sum.second, 15360) << uuid;
    }
    ASSERT_EQ(live.Snapshot()->size(), held.size());
  }
  EXPECT_GT(granted, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace aliquot::agent
