// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement_runner.h"

#include <gtest/gtest.h>

#include "tests/support/eventually.h"
#include "tests/unit/agent/enforcement/held_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using test::Eventually;

// Answers until it is told to hang.
class HangingCards final : public GpuBackend {
 public:
  std::string_view name() const override { return "fake"; }
  Result<Machine> Look() override { return Unavailable("not asked"); }
  Result<std::vector<GpuEvent>> WaitForEvents(milliseconds) override {
    return std::vector<GpuEvent>();
  }
  Result<std::vector<CardCheck>> CheckCards() override { return std::vector<CardCheck>(); }
  Result<CardFigures> Figures(std::string_view) override { return Unavailable("not asked"); }
  Result<CardWork> Work(std::string_view, std::uint64_t) override {
    MutexLock lock(mutex_);
    while (hangs_) {
      hung_ = true;
      changed_.Wait(mutex_);
    }
    return CardWork();
  }
  void Release() override {}

  void Hang(bool on) {
    MutexLock lock(mutex_);
    hangs_ = on;
    changed_.NotifyAll();
  }
  bool hung() {
    MutexLock lock(mutex_);
    return hung_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool hangs_ GUARDED_BY(mutex_) = false;
  bool hung_ GUARDED_BY(mutex_) = false;
};

class EnforcementRunnerTest : public HeldTest {
 protected:
  EnforcementRunnerTest() {
    options_.lender.busy = options_.lender.idle = milliseconds(5);
    options_.watchdog.busy = options_.watchdog.idle = milliseconds(5);
    options_.proc = folder_ + "/proc";
    std::filesystem::create_directory(options_.proc);
  }

  RealClock real_;
  EnforcementOptions options_;
  HangingCards cards_;
  ShareCounters counters_;
};

TEST_F(EnforcementRunnerTest, ADriverThatHangsStopsTheLooksAndNotTheLending) {
  const std::string grant = Grant(1, 30, 100);
  EnforcementRunner runner(
      options_,
      EnforcementRunner::Parts{live_, cards_, *layout_, counters_, real_, log_,
                               [] { return Watchdog::Containers(); }, [](const ShareReport&) {}});
  runner.Start();
  std::uint64_t launches = 0;
  const auto lent = [&] {
    Use(grant, ++launches);
    return LiveOf(grant).core_now == 100;
  };
  EXPECT_TRUE(Eventually(lent));
  cards_.Hang(true);
  EXPECT_TRUE(Eventually([&] { return cards_.hung(); }));
  const std::uint64_t until = LiveOf(grant).expires_ns;
  EXPECT_TRUE(Eventually([&] { return lent() && LiveOf(grant).expires_ns > until; }));
  cards_.Hang(false);
  runner.Stop();
}

// As a restart of the agent finds them.
TEST_F(EnforcementRunnerTest, WhatWasMeasuredBeforeIsReadBeforeAnythingIsMeasured) {
  const std::string grant = Grant(1, 30, 30);
  auto record = LiveRecord::Open(RecordPath(grant));
  ASSERT_TRUE(record.ok());
  quota::LiveCard before{};
  before.overhead_bytes = 300;
  (*record)->Write({before});
  cards_.Hang(true);
  EnforcementRunner runner(
      options_,
      EnforcementRunner::Parts{live_, cards_, *layout_, counters_, real_, log_,
                               [] { return Watchdog::Containers(); }, [](const ShareReport&) {}});
  runner.Start();
  EXPECT_EQ(runner.board().Snapshot().at(grant).at(0).overhead_bytes, 300U);
  cards_.Hang(false);
  runner.Stop();
}

}  // namespace
}  // namespace aliquot::agent
