// SPDX-License-Identifier: Apache-2.0
#include "agent/event_poster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/agent_fakes.h"

namespace aliquot::agent {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::SizeIs;

class EventPosterTest : public testing::Test {
 protected:
  void Post(const std::string& uid, const std::string& note, const std::string& reason = "R") {
    poster_.Post({"ns", "pod-" + uid}, uid, true, reason, "Start", note);
  }

  FakeClock clock_;
  FakeWriter writer_;
  AgentMetrics metrics_;
  MemoryLog log_;
  program::WorkQueue queue_{clock_, program::WorkQueueOptions()};
  EventPoster poster_{queue_, writer_, metrics_, log_, clock_};
};

TEST_F(EventPosterTest, AnEventIsWrittenByTheQueueAndNotByTheCaller) {
  Post("1", "one sentence");
  EXPECT_THAT(writer_.events, SizeIs(0));
  queue_.RunDue();
  ASSERT_THAT(writer_.events, SizeIs(1));
  EXPECT_EQ(writer_.events[0].key.ToString(), "ns/pod-1");
  EXPECT_EQ(writer_.events[0].uid, "1");
  EXPECT_EQ(writer_.events[0].reason, "R");
  EXPECT_EQ(writer_.events[0].note, "one sentence");
  EXPECT_EQ(ValueOf(metrics_, "aliquot_agent_api_writes_total{kind=\"event\",outcome=\"done\"}"),
            "1");
}

TEST_F(EventPosterTest, TheSameSentenceAboutTheSamePodGoesOutOnceInTenMinutes) {
  Post("1", "s");
  Post("1", "s");
  clock_.Advance(minutes(10) - seconds(1));
  Post("1", "s");
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(1));
  clock_.Advance(seconds(1));
  Post("1", "s");
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(2));
}

TEST_F(EventPosterTest, AnotherSentenceReasonOrPodIsAnotherEvent) {
  Post("1", "s");
  Post("1", "t");
  Post("1", "s", "Q");
  Post("2", "s");
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(4));
}

TEST_F(EventPosterTest, EventsOfOneReasonAreAtMostSixtyAMinute) {
  for (int i = 0; i < 100; ++i) {
    Post(std::to_string(i), "s");
  }
  Post("1", "s", "Other");
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(61)) << "another reason has its own measure";
}

// What the limit holds back has not been told, and may be told later.
TEST_F(EventPosterTest, AnEventThatTheLimitHeldBackIsToldWhenItIsPostedAgain) {
  for (int i = 0; i < 61; ++i) {
    Post(std::to_string(i), "s");
  }
  queue_.RunDue();
  ASSERT_THAT(writer_.events, SizeIs(60));
  clock_.Advance(seconds(61));
  Post("60", "s");
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(61));
}

TEST_F(EventPosterTest, AWriteWithoutAnswerIsTriedAgainForFiveMinutes) {
  writer_.outcome = model::WriteOutcome::kUnknown;
  Post("1", "s");
  for (int second = 0; second < 900; ++second) {
    queue_.RunDue();
    clock_.Advance(seconds(1));
  }
  EXPECT_GT(writer_.events.size(), 3u);
  EXPECT_LT(writer_.events.size(), 15u) << "with back-off";
  EXPECT_EQ(queue_.waiting(), 0u);
}

TEST_F(EventPosterTest, AnEventThatCameThroughIsNotRepeated) {
  writer_.outcome = model::WriteOutcome::kUnknown;
  Post("1", "s");
  queue_.RunDue();
  writer_.outcome = model::WriteOutcome::kDone;
  clock_.Advance(seconds(10));
  queue_.RunDue();
  EXPECT_THAT(writer_.events, SizeIs(2));
  EXPECT_EQ(queue_.waiting(), 0u);
}

TEST_F(EventPosterTest, APodThatIsGoneIsNotToldAgain) {
  writer_.outcome = model::WriteOutcome::kNotFound;
  Post("1", "s");
  queue_.RunDue();
  EXPECT_EQ(queue_.waiting(), 0u);
}

// The API server takes 1,024 bytes of UTF-8 and refuses a character that is cut.
TEST_F(EventPosterTest, ALongSentenceIsCutBetweenCharacters) {
  std::string note;
  for (int i = 0; i < 600; ++i) {
    note += "\xC3\xA9";  // é
  }
  Post("1", "x" + note);
  queue_.RunDue();
  ASSERT_THAT(writer_.events, SizeIs(1));
  const std::string& cut = writer_.events[0].note;
  EXPECT_EQ(cut.size(), 999u);  // "x" and 499 of two bytes each; 1,000 would cut one
  EXPECT_EQ(cut.substr(997), "\xC3\xA9");
}

TEST_F(EventPosterTest, ManyPodsDoNotMakeItGrowForEver) {
  for (int i = 0; i < 10000; ++i) {
    clock_.Advance(seconds(2));
    Post(std::to_string(i), "s");
    queue_.RunDue();
  }
  EXPECT_THAT(writer_.events, SizeIs(10000));
}

}  // namespace
}  // namespace aliquot::agent
