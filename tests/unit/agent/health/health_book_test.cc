// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/clock.h"

namespace aliquot::agent {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Machine MachineOf(const std::vector<std::string>& uuids) {
  Machine machine;
  for (const std::string& uuid : uuids) {
    MachineCard card;
    card.card.uuid = uuid;
    machine.cards.push_back(std::move(card));
  }
  return machine;
}

GpuEvent Xid(std::uint64_t code, std::string uuid) {
  return {GpuEvent::Kind::kXid, std::move(uuid), code};
}

CardCheck Clean(std::string uuid) { return {std::move(uuid), true, false, false}; }
CardCheck Lost(std::string uuid) { return {std::move(uuid), false, false, false}; }
CardCheck Pending(std::string uuid) { return {std::move(uuid), true, true, false}; }
CardCheck RemapFailed(std::string uuid) { return {std::move(uuid), true, false, true}; }

// Two cards A and B, a quiet time of 60 s, and time in whole seconds.
class HealthBookTest : public ::testing::Test {
 protected:
  HealthBookTest() { Look({"GPU-a", "GPU-b"}); }

  void At(int second) { now_ = start_ + seconds(second); }
  void Look(const std::vector<std::string>& uuids) { book_.Apply(MachineOf(uuids), now_); }
  void Events(const std::vector<GpuEvent>& events) { book_.Apply(events, now_); }
  void Checks(const std::vector<CardCheck>& checks) { book_.Apply(checks, now_); }
  std::string A() const { return book_.WordOf("GPU-a"); }
  std::string B() const { return book_.WordOf("GPU-b"); }
  // "GPU-a ok>xid-79"
  std::vector<std::string> Changes() {
    std::vector<std::string> texts;
    for (const HealthChange& change : book_.TakeNews().changes) {
      texts.push_back(change.uuid + " " + change.from + ">" + change.to);
    }
    return texts;
  }

  const SteadyTime start_ = FakeClock().SteadyNow();
  SteadyTime now_ = start_;
  HealthBook book_;
};

TEST_F(HealthBookTest, ANewCardIsHealthyAndSaysNothing) {
  EXPECT_EQ(A(), "ok");
  EXPECT_EQ(book_.WordOf("GPU-z"), "ok");
  EXPECT_THAT(Changes(), IsEmpty());
  ASSERT_THAT(book_.Cards(), SizeIs(2));
  EXPECT_EQ(book_.Cards()[0].sentence, "card GPU-a is healthy");
}

TEST_F(HealthBookTest, ApplicationFaultsNeverMarkButAreTold) {
  for (const std::uint64_t xid : {13, 31, 43, 45, 68, 109}) {
    Events({Xid(xid, "GPU-a")});
  }
  EXPECT_EQ(A(), "ok");
  const HealthNews news = book_.TakeNews();
  EXPECT_THAT(news.changes, IsEmpty());
  ASSERT_THAT(news.xids, SizeIs(6));
  EXPECT_EQ(news.xids[1].uuid, "GPU-a");
  EXPECT_EQ(news.xids[1].xid, 31u);
  EXPECT_FALSE(news.xids[1].marks);
  EXPECT_EQ(news.xids[1].sentence,
            "XID 31 (GPU memory page fault) on card GPU-a; the card stays in use, the program that "
            "caused it has failed");
}

TEST_F(HealthBookTest, WhatIsIgnoredIsConfigurable) {
  HealthOptions options;
  options.ignored = {79};
  HealthBook book(options);
  book.Apply(MachineOf({"GPU-a"}), now_);
  book.Apply({Xid(79, "GPU-a")}, now_);
  EXPECT_EQ(book.WordOf("GPU-a"), "ok");
  book.Apply({Xid(31, "GPU-a")}, now_);
  EXPECT_EQ(book.WordOf("GPU-a"), "xid-31");
}

TEST_F(HealthBookTest, WhatTheCatalogueSaysToIgnoreNeverMarks) {
  Events({Xid(63, "GPU-a"), Xid(92, "GPU-a"), Xid(154, "GPU-a")});
  EXPECT_EQ(A(), "ok");
  EXPECT_THAT(book_.TakeNews().xids, SizeIs(3));
}

TEST_F(HealthBookTest, AnXidMarksItsCardOnly) {
  Events({Xid(79, "GPU-a")});
  EXPECT_EQ(A(), "xid-79");
  EXPECT_EQ(B(), "ok");
  const HealthNews news = book_.TakeNews();
  ASSERT_THAT(news.changes, SizeIs(1));
  EXPECT_EQ(news.changes[0].xid, 79u);
  EXPECT_EQ(news.changes[0].sentence,
            "card GPU-a reported XID 79 (GPU has fallen off the bus); reset the card or restart "
            "the node");
  ASSERT_THAT(news.xids, SizeIs(1));
  EXPECT_TRUE(news.xids[0].marks);
}

TEST_F(HealthBookTest, AnXidWithoutACardMarksAll) {
  Events({Xid(62, "")});
  EXPECT_EQ(A(), "xid-62");
  EXPECT_EQ(B(), "xid-62");
  EXPECT_THAT(book_.TakeNews().xids, SizeIs(2));
}

TEST_F(HealthBookTest, AnXidOfACardThatNoLookHasShownIsLeftOut) {
  Events({Xid(79, "GPU-z")});
  EXPECT_THAT(book_.Cards(), SizeIs(2));
  EXPECT_THAT(book_.TakeNews().xids, IsEmpty());
}

// XID 94 at 0; checks each 30 s: at 30 and 59 it is too early, at 60 it has been quiet for 60 s.
TEST_F(HealthBookTest, APassingXidIsOverAfterTheQuietTime) {
  Events({Xid(94, "GPU-a")});
  EXPECT_EQ(A(), "xid-94");
  At(30);
  Checks({Clean("GPU-a")});
  At(59);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "xid-94");
  At(60);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ok");
  EXPECT_THAT(Changes(), ElementsAre("GPU-a ok>xid-94", "GPU-a xid-94>ok"));
}

TEST_F(HealthBookTest, TimeAloneHealsNothingWithoutACleanCheck) {
  Events({Xid(94, "GPU-a")});
  At(3600);
  Look({"GPU-a", "GPU-b"});
  EXPECT_EQ(A(), "xid-94");
  Checks({Pending("GPU-a")});
  EXPECT_EQ(A(), "ecc");
}

TEST_F(HealthBookTest, EachXidBeginsTheQuietTimeAnew) {
  Events({Xid(94, "GPU-a")});
  At(50);
  Events({Xid(94, "GPU-a")});
  At(100);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "xid-94");  // 50 s after the second
  At(110);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ok");
}

TEST_F(HealthBookTest, AnUnknownXidPasses) {
  Events({Xid(4711, "GPU-a")});
  EXPECT_EQ(A(), "xid-4711");
  At(60);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ok");
}

TEST_F(HealthBookTest, WhatNeedsAResetDoesNotPass) {
  Events({Xid(95, "GPU-a")});
  At(100000);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "xid-95");
}

// The driver is gone at 10 and back at 20: from then on the card has to be clean for 60 s.
TEST_F(HealthBookTest, ALoadedDriverAgainEndsWhatNeededAReset) {
  Events({Xid(95, "GPU-a")});
  At(10);
  book_.DriverGone("the driver is being upgraded", now_);
  EXPECT_EQ(A(), "no-driver");
  EXPECT_EQ(B(), "no-driver");
  EXPECT_EQ(book_.Cards()[1].sentence, "card GPU-b cannot be used: the driver is being upgraded");
  At(20);
  Look({"GPU-a", "GPU-b"});
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  At(79);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "no-driver");
  At(80);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "ok");
  EXPECT_EQ(B(), "ok");
}

TEST_F(HealthBookTest, ACardThatWasLostAndIsBackHasBeenReset) {
  Events({Xid(79, "GPU-a")});
  At(1);
  Checks({Lost("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "lost");
  At(600);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "lost");  // clean since now
  At(660);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "ok");
  EXPECT_THAT(Changes(), ElementsAre("GPU-a ok>xid-79", "GPU-a xid-79>lost", "GPU-a lost>ok"));
}

TEST_F(HealthBookTest, ACardMissingFromTheMachineIsLostNotForgotten) {
  Look({"GPU-b"});
  EXPECT_EQ(A(), "lost");
  EXPECT_THAT(book_.Cards(), SizeIs(2));
  Checks({Clean("GPU-b")});
  At(600);
  Checks({Clean("GPU-b")});
  EXPECT_EQ(A(), "lost");
  EXPECT_EQ(B(), "ok");
}

TEST_F(HealthBookTest, WhatACheckSaysHoldsAsLongAsChecksSayIt) {
  Checks({Pending("GPU-a"), RemapFailed("GPU-b")});
  EXPECT_EQ(A(), "ecc");
  EXPECT_EQ(B(), "remap-failed");
  At(500);
  Checks({Pending("GPU-a"), RemapFailed("GPU-b")});
  At(501);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "ecc");
  At(561);
  Checks({Clean("GPU-a"), Clean("GPU-b")});
  EXPECT_EQ(A(), "ok");
  EXPECT_EQ(B(), "ok");
}

// A check that says lost and present in turn, each second for ten minutes: one change, no more.
TEST_F(HealthBookTest, FlappingChecksDoNotFlapTheCard) {
  for (int second = 0; second < 600; ++second) {
    At(second);
    Checks({second % 2 == 0 ? Lost("GPU-a") : Clean("GPU-a")});
  }
  EXPECT_THAT(Changes(), ElementsAre("GPU-a ok>lost"));
}

// One XID each 61 s, checks each second: each time unhealthy for 60 s, and healthy for one second.
TEST_F(HealthBookTest, NoCardIsUnhealthyForLessThanTheQuietTime) {
  int since = -1;
  for (int second = 0; second < 610; ++second) {
    At(second);
    if (second % 61 == 0) {
      Events({Xid(94, "GPU-a")});
    }
    Checks({Clean("GPU-a")});
    for (const std::string& change : Changes()) {
      if (change == "GPU-a ok>xid-94") {
        since = second;
      } else {
        EXPECT_EQ(second - since, 60) << change;
      }
    }
  }
}

TEST_F(HealthBookTest, AnEccErrorIsOneFaultWhetherAsEventOrAsXid48) {
  Events({{GpuEvent::Kind::kEccDouble, "GPU-a", 0}, Xid(48, "GPU-a")});
  EXPECT_EQ(A(), "ecc");
  const HealthNews news = book_.TakeNews();
  ASSERT_THAT(news.changes, SizeIs(1));
  EXPECT_EQ(news.changes[0].xid, 48u);
  ASSERT_THAT(news.xids, SizeIs(1));
  EXPECT_EQ(news.xids[0].xid, 48u);
  At(1000);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ecc");  // until a reset
}

TEST_F(HealthBookTest, TheWordIsTheWorstOfSeveralFaults) {
  Events({Xid(94, "GPU-a")});
  EXPECT_EQ(A(), "xid-94");
  Events({Xid(119, "GPU-a"), Xid(74, "GPU-a")});
  EXPECT_EQ(A(), "xid-119");  // needs a reset, and came first of the two
  Checks({Pending("GPU-a")});
  EXPECT_EQ(A(), "ecc");
  Checks({RemapFailed("GPU-a")});
  EXPECT_EQ(A(), "remap-failed");
  Checks({Lost("GPU-a")});
  EXPECT_EQ(A(), "lost");
  book_.DriverGone("gone", now_);
  EXPECT_EQ(A(), "no-driver");
}

// 100 a second for 2 minutes: told at 0, 60 and at 119 not yet again.
TEST_F(HealthBookTest, AStormOfOneXidIsToldOnceAMinuteWithItsNumber) {
  std::vector<std::pair<int, std::uint64_t>> told;
  for (int second = 0; second < 120; ++second) {
    At(second);
    for (int i = 0; i < 100; ++i) {
      Events({Xid(31, "GPU-a")});
    }
    for (const XidReport& report : book_.TakeNews().xids) {
      told.emplace_back(second, report.times);
    }
  }
  // 99 more in second 0, 5,900 in seconds 1 to 59, and the first of second 60.
  EXPECT_THAT(told, ElementsAre(std::pair(0, 1u), std::pair(60, 6000u)));
}

// 2,000 codes, one a second: the last at 1999, so it is over at 2059. What is kept is bounded.
TEST_F(HealthBookTest, AStormOfManyXidsIsOverAfterTheQuietTime) {
  for (int second = 0; second < 2000; ++second) {
    At(second);
    Events({Xid(static_cast<std::uint64_t>(1000 + second), "GPU-a")});
  }
  EXPECT_EQ(A(), "xid-1000");
  EXPECT_THAT(book_.TakeNews().xids, SizeIs(2000));
  At(2058);
  Checks({Clean("GPU-a")});
  EXPECT_NE(A(), "ok");
  At(2059);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ok");
}

TEST_F(HealthBookTest, AClockThatRunsBackwardsStandsStill) {
  At(100);
  Events({Xid(94, "GPU-a")});
  At(-1000);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "xid-94");
  At(159);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "xid-94");
  At(160);
  Checks({Clean("GPU-a")});
  EXPECT_EQ(A(), "ok");
}

TEST_F(HealthBookTest, NewsAreTakenOnce) {
  Events({Xid(79, "GPU-a")});
  EXPECT_THAT(book_.TakeNews().changes, SizeIs(1));
  const HealthNews news = book_.TakeNews();
  EXPECT_THAT(news.changes, IsEmpty());
  EXPECT_THAT(news.xids, IsEmpty());
}

TEST(HealthBookSizes, AMachineMayHaveNoCardAndSixteen) {
  HealthBook book;
  book.Apply(MachineOf({}), SteadyTime());
  book.Apply(std::vector<GpuEvent>{Xid(79, "")}, SteadyTime());
  EXPECT_THAT(book.Cards(), IsEmpty());
  std::vector<std::string> uuids;
  for (int i = 0; i < 16; ++i) {
    uuids.push_back("GPU-" + std::to_string(i));
  }
  book.Apply(MachineOf(uuids), SteadyTime());
  book.Apply(std::vector<GpuEvent>{Xid(79, "")}, SteadyTime());
  ASSERT_THAT(book.Cards(), SizeIs(16));
  for (const CardHealth& card : book.Cards()) {
    EXPECT_EQ(card.word, "xid-79");
  }
}

}  // namespace
}  // namespace aliquot::agent
