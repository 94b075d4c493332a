// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_lane.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <set>
#include <thread>

namespace aliquot::agent {
namespace {

constexpr std::chrono::milliseconds kLong = std::chrono::seconds(50);
constexpr std::chrono::milliseconds kShort(20);

TEST(NvmlLaneTest, CallsAnswerComesBack) {
  NvmlLane lane;
  const Result<int> answer = lane.Run<int>("counting", kLong, [] { return Result<int>(7); });
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(*answer, 7);
}

TEST(NvmlLaneTest, CallsErrorComesBack) {
  NvmlLane lane;
  const Result<int> answer =
      lane.Run<int>("counting", kLong, [] { return Result<int>(NotFound("no number")); });
  EXPECT_EQ(answer.status().message(), "no number");
}

TEST(NvmlLaneTest, CallsRunOneAtATimeOnOneThread) {
  NvmlLane lane;
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::set<std::thread::id> threads;  // touched by the lane's thread alone
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      const Result<bool> done = lane.Run<bool>("counting", kLong, [&] {
        most = std::max(most.load(), ++running);
        threads.insert(std::this_thread::get_id());
        --running;
        return Result<bool>(true);
      });
      EXPECT_TRUE(done.ok());
    });
  }
  for (std::thread& each : callers) {
    each.join();
  }
  EXPECT_EQ(most, 1);
  EXPECT_EQ(threads.size(), 1u);
}

TEST(NvmlLaneTest, CallThatHangsIsGivenUpAndOneThatWaitsForItToo) {
  NvmlLane lane;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  const auto hang = [released] {
    released.wait();
    return Result<int>(1);
  };
  const Status first = lane.Run<int>("reading", kShort, hang).status();
  EXPECT_EQ(first.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(first.message(),
            "the driver has not answered for 20 ms while reading; look for XID errors and hung "
            "tasks in the kernel log, reboot the node if it stays so");
  // The one behind it names what hangs, not itself.
  const Status second = lane.Run<int>("counting", kShort, [] { return Result<int>(2); }).status();
  EXPECT_EQ(second.message(), first.message());

  release.set_value();
  const Result<int> third = lane.Run<int>("counting", kLong, [] { return Result<int>(3); });
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(*third, 3);
}

TEST(NvmlLaneTest, WhatACallHoldsIsLetGoOfByTheLanesThread) {
  NvmlLane lane;
  std::promise<std::thread::id> ended_by;
  struct Held {
    explicit Held(std::promise<std::thread::id>& told) : told_(told) {}
    ~Held() { told_.set_value(std::this_thread::get_id()); }
    std::promise<std::thread::id>& told_;
  };
  auto held = std::make_shared<Held>(ended_by);
  const Result<std::thread::id> ran = lane.Run<std::thread::id>(
      "holding", kLong,
      [held = std::move(held)] { return Result<std::thread::id>(std::this_thread::get_id()); });
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(ended_by.get_future().get(), *ran);
}

TEST(NvmlLaneTest, LaneEndsWhileACallHangs) {
  auto release = std::make_shared<std::promise<void>>();
  auto ended = std::make_shared<std::promise<void>>();
  std::future<void> has_ended = ended->get_future();
  {
    NvmlLane lane;
    const auto released = std::make_shared<std::shared_future<void>>(release->get_future().share());
    const Status status = lane.Run<int>("reading", kShort,
                                        [released, ended] {
                                          released->wait();
                                          ended->set_value();
                                          return Result<int>(1);
                                        })
                              .status();
    EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  }
  release->set_value();
  EXPECT_EQ(has_ended.wait_for(kLong), std::future_status::ready);
}

}  // namespace
}  // namespace aliquot::agent
