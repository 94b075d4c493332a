// SPDX-License-Identifier: Apache-2.0
#include "program/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "tests/support/eventually.h"

namespace aliquot::program {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Outcome = WorkQueue::Outcome;

class WorkQueueTest : public ::testing::Test {
 protected:
  WorkQueue::Task Say(const std::string& word, Outcome outcome = Outcome::kDone) {
    return [this, word, outcome] {
      said_.push_back(word);
      return outcome;
    };
  }

  FakeClock clock_;
  WorkQueue queue_{clock_, WorkQueueOptions()};
  std::vector<std::string> said_;
};

TEST_F(WorkQueueTest, RunsInTheOrderAdded) {
  queue_.Add("a", Say("a"));
  queue_.Add("b", Say("b"));
  EXPECT_EQ(queue_.RunDue(), 2);
  EXPECT_EQ(said_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(queue_.waiting(), 0u);
}

TEST_F(WorkQueueTest, OneTaskAKey) {
  queue_.Add("a", Say("old"));
  queue_.Add("a", Say("new"));
  EXPECT_EQ(queue_.RunDue(), 1);
  EXPECT_EQ(said_, std::vector<std::string>{"new"});
}

TEST_F(WorkQueueTest, ADelayedTaskWaits) {
  queue_.Add("a", Say("a"), seconds(1));
  clock_.Advance(milliseconds(999));
  EXPECT_EQ(queue_.RunDue(), 0);
  clock_.Advance(milliseconds(1));
  EXPECT_EQ(queue_.RunDue(), 1);
}

TEST_F(WorkQueueTest, TheEarlierOfTwoTimesHolds) {
  queue_.Add("a", Say("soon"), seconds(1));
  queue_.Add("a", Say("later"), seconds(30));
  clock_.Advance(seconds(1));
  EXPECT_EQ(queue_.RunDue(), 1);
  EXPECT_EQ(said_, std::vector<std::string>{"later"});
}

TEST_F(WorkQueueTest, RetriesWithGrowingPausesUpToTheLongest) {
  queue_.Add("a", Say("a", Outcome::kRetry));
  EXPECT_EQ(queue_.RunDue(), 1);
  for (const int pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    clock_.Advance(seconds(pause) - milliseconds(1));
    EXPECT_EQ(queue_.RunDue(), 0) << pause;
    clock_.Advance(milliseconds(1));
    EXPECT_EQ(queue_.RunDue(), 1) << pause;
  }
}

TEST_F(WorkQueueTest, ATaskMayAddItselfAgainWhileItRuns) {
  queue_.Add("a", [this] {
    queue_.Add("a", Say("second"), seconds(5));
    return Outcome::kRetry;  // overruled: the one added knows more
  });
  EXPECT_EQ(queue_.RunDue(), 1);
  clock_.Advance(seconds(4));
  EXPECT_EQ(queue_.RunDue(), 0);
  clock_.Advance(seconds(1));
  EXPECT_EQ(queue_.RunDue(), 1);
  EXPECT_EQ(said_, std::vector<std::string>{"second"});
}

TEST(WorkQueueThreadTest, ItsThreadRunsWhatIsAddedAndStops) {
  RealClock clock;
  WorkQueue queue(clock, WorkQueueOptions());
  queue.Start();
  std::atomic<int> ran{0};
  for (int i = 0; i < 100; ++i) {
    queue.Add(
        "k" + std::to_string(i),
        [&ran] {
          ++ran;
          return Outcome::kDone;
        },
        milliseconds(i % 3));
  }
  EXPECT_TRUE(test::Eventually([&] { return ran == 100; }));
  queue.Add(
      "late",
      [&ran] {
        ++ran;
        return Outcome::kDone;
      },
      std::chrono::hours(1));
  queue.Stop();
  EXPECT_EQ(ran, 100);
  queue.Add("after", [&ran] {
    ++ran;
    return Outcome::kDone;
  });
  EXPECT_EQ(queue.RunDue(), 0);
}

}  // namespace
}  // namespace aliquot::program
