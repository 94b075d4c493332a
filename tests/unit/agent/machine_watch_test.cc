// SPDX-License-Identifier: Apache-2.0
#include "agent/machine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/eventually.h"
#include "tests/support/test_certificates.h"
#include "tests/unit/agent/agent_fakes.h"
#include "tests/unit/agent/inventory/machines.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Eventually;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A driver that does what it is told. Its waits for events last until the test steps on: each step
// moves the clock, so that no real time decides anything.
class ScriptedBackend final : public GpuBackend {
 public:
  explicit ScriptedBackend(FakeClock& clock) : clock_(clock) {}

  std::string_view name() const override { return "scripted"; }
  Result<Machine> Look() override {
    MutexLock lock(mutex_);
    ++looks_;
    if (!present_) {
      return Unavailable("no driver");
    }
    return machine_;
  }
  Result<std::vector<GpuEvent>> WaitForEvents(milliseconds timeout) override {
    MutexLock lock(mutex_);
    ++waits_;
    changed_.NotifyAll();
    while (steps_ == 0 && !open_) {
      changed_.Wait(mutex_);
    }
    steps_ -= steps_ > 0 ? 1 : 0;
    if (!present_) {
      return Unavailable("no driver");
    }
    if (events_.empty()) {
      clock_.Advance(timeout);
    }
    return std::exchange(events_, {});
  }
  Result<std::vector<CardCheck>> CheckCards() override {
    MutexLock lock(mutex_);
    ++checks_;
    if (!present_) {
      return Unavailable("no driver");
    }
    std::vector<CardCheck> checks;
    for (const MachineCard& each : machine_.cards) {
      CardCheck check;
      check.uuid = each.card.uuid;
      check.uncorrectable_pending = each.card.uuid == pending_;
      checks.push_back(check);
    }
    return checks;
  }
  Result<CardFigures> Figures(std::string_view) override { return NotFound("none"); }
  void Release() override {}

  void Set(Machine machine) {
    MutexLock lock(mutex_);
    machine_ = std::move(machine);
  }
  void SetPresent(bool present) {
    MutexLock lock(mutex_);
    present_ = present;
  }
  void SetPending(const std::string& uuid) {
    MutexLock lock(mutex_);
    pending_ = uuid;
  }
  void Tell(std::uint64_t xid, const std::string& uuid) {
    MutexLock lock(mutex_);
    events_.push_back({GpuEvent::Kind::kXid, uuid, xid});
  }
  // Ends one wait and returns once the watch waits again.
  void Step(int times = 1) {
    for (int i = 0; i < times; ++i) {
      MutexLock lock(mutex_);
      const int before = waits_;
      ++steps_;
      changed_.NotifyAll();
      while (waits_ == before && !open_) {
        changed_.Wait(mutex_);
      }
    }
  }
  void WaitUntilWaiting() {
    MutexLock lock(mutex_);
    while (waits_ == 0) {
      changed_.Wait(mutex_);
    }
  }
  // No wait waits any more.
  void Open() {
    MutexLock lock(mutex_);
    open_ = true;
    changed_.NotifyAll();
  }
  int looks() const {
    MutexLock lock(mutex_);
    return looks_;
  }
  int checks() const {
    MutexLock lock(mutex_);
    return checks_;
  }
  int waits() const {
    MutexLock lock(mutex_);
    return waits_;
  }

 private:
  FakeClock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  Machine machine_ GUARDED_BY(mutex_) = MachineOf(2);
  bool present_ GUARDED_BY(mutex_) = true;
  std::string pending_ GUARDED_BY(mutex_);
  std::vector<GpuEvent> events_ GUARDED_BY(mutex_);
  int steps_ GUARDED_BY(mutex_) = 0;
  int waits_ GUARDED_BY(mutex_) = 0;
  int looks_ GUARDED_BY(mutex_) = 0;
  int checks_ GUARDED_BY(mutex_) = 0;
  bool open_ GUARDED_BY(mutex_) = false;
};

// Waits of 5 s; checks each 15 s and looks each 60 s, as a node has them.
class MachineWatchTest : public testing::Test {
 protected:
  MachineWatchTest() { options_.events = seconds(5); }
  ~MachineWatchTest() override { End(); }

  void Start() {
    watch_ = std::make_unique<MachineWatch>(
        options_, backend_, clock_, log_,
        [this](std::shared_ptr<const MachineView> view) {
          MutexLock lock(mutex_);
          views_.push_back(std::move(view));
        },
        [this](const HealthNews& news) {
          MutexLock lock(mutex_);
          for (const XidReport& xid : news.xids) {
            told_.push_back(xid.uuid + " xid " + std::to_string(xid.xid));
          }
          for (const HealthChange& change : news.changes) {
            told_.push_back(change.uuid + " " + change.to);
          }
        });
    watch_->Start();
  }
  void StartAndWait() {
    Start();
    backend_.WaitUntilWaiting();
  }
  void End() {
    backend_.Open();
    watch_.reset();
  }
  std::string HealthOf(const std::string& uuid) const { return watch_->state()->health.at(uuid); }
  std::size_t views() const {
    MutexLock lock(mutex_);
    return views_.size();
  }
  std::vector<std::string> told() const {
    MutexLock lock(mutex_);
    return told_;
  }

  FakeClock clock_;
  MemoryLog log_;
  MachineWatchOptions options_;
  ScriptedBackend backend_{clock_};
  std::unique_ptr<MachineWatch> watch_;

 private:
  mutable Mutex mutex_;
  std::vector<std::shared_ptr<const MachineView>> views_ GUARDED_BY(mutex_);
  std::vector<std::string> told_ GUARDED_BY(mutex_);
};

TEST_F(MachineWatchTest, TheStateIsKnownWhenStartReturns) {
  Start();
  EXPECT_TRUE(watch_->state()->driver);
  EXPECT_EQ(watch_->state()->machine.cards.size(), 2u);
  EXPECT_EQ(HealthOf("GPU-a"), "ok");
  EXPECT_EQ(views(), 1u);
}

TEST_F(MachineWatchTest, AnXidReachesTheCardAndTheNewsAtOnce) {
  StartAndWait();
  backend_.Tell(79, "GPU-b");
  backend_.Step();
  EXPECT_EQ(HealthOf("GPU-b"), "xid-79");
  EXPECT_EQ(HealthOf("GPU-a"), "ok");
  EXPECT_THAT(told(), ElementsAre("GPU-b xid 79", "GPU-b xid-79"));
}

TEST_F(MachineWatchTest, AnEventBringsACheckOfTheCardsWithIt) {
  StartAndWait();
  const int before = backend_.checks();
  backend_.SetPending("GPU-a");
  backend_.Tell(31, "GPU-b");
  backend_.Step();
  EXPECT_EQ(backend_.checks(), before + 1);
  EXPECT_EQ(HealthOf("GPU-a"), "ecc");
}

// 12 waits of 5 s are a minute: 4 checks and 1 look.
TEST_F(MachineWatchTest, WhileNothingHappensTheDriverIsAskedLittleAndNobodyIsTold) {
  StartAndWait();
  backend_.Step();  // the first check comes with the first look
  const int checks = backend_.checks();
  const int looks = backend_.looks();
  backend_.Step(120);
  EXPECT_EQ(backend_.checks() - checks, 40);
  EXPECT_EQ(backend_.looks() - looks, 10);
  EXPECT_EQ(views(), 1u);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(MachineWatchTest, ACardThatVanishesStaysAsLostAndComesBackWhenItIsQuiet) {
  options_.looks = seconds(5);
  options_.health.quiet = seconds(20);
  StartAndWait();
  backend_.Set(MachineOf(1));
  backend_.Step();
  EXPECT_EQ(HealthOf("GPU-b"), "lost");
  EXPECT_EQ(watch_->state()->machine.cards.size(), 2u);
  backend_.Set(MachineOf(2));
  backend_.Step(2);
  EXPECT_EQ(HealthOf("GPU-b"), "lost") << "not before it has been quiet";
  backend_.Step(6);
  EXPECT_EQ(HealthOf("GPU-b"), "ok");
  EXPECT_THAT(told(), ElementsAre("GPU-b lost", "GPU-b ok"));
}

TEST_F(MachineWatchTest, WithoutADriverItLooksNowAndThenAndSaysSoOnce) {
  options_.absent = milliseconds(1);
  backend_.SetPresent(false);
  Start();
  EXPECT_FALSE(watch_->state()->driver);
  EXPECT_EQ(watch_->state()->sentence, "no driver");
  ASSERT_TRUE(Eventually([&] { return backend_.looks() >= 5; }));
  EXPECT_EQ(log_.Count("no GPU can be seen"), 1);
  EXPECT_EQ(views(), 1u);
  EXPECT_EQ(backend_.waits(), 0);
  backend_.SetPresent(true);
  ASSERT_TRUE(Eventually([&] { return watch_->state()->driver; }));
  EXPECT_EQ(HealthOf("GPU-a"), "ok");
}

TEST_F(MachineWatchTest, WithoutADriverItWaitsBetweenLooks) {
  backend_.SetPresent(false);
  Start();
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(backend_.looks(), 1) << "the next is due in 5 s";
}

TEST_F(MachineWatchTest, APokeEndsTheWaitForADriver) {
  options_.absent = seconds(3600);
  backend_.SetPresent(false);
  Start();
  backend_.SetPresent(true);
  watch_->Poke();
  EXPECT_TRUE(Eventually([&] { return watch_->state()->driver; }));
}

TEST_F(MachineWatchTest, ADriverThatGoesAwayLeavesItsCardsKnownAndWithoutDriver) {
  options_.absent = milliseconds(1);
  StartAndWait();
  backend_.SetPresent(false);
  backend_.Open();
  ASSERT_TRUE(Eventually([&] { return !watch_->state()->driver; }));
  EXPECT_EQ(watch_->state()->machine.cards.size(), 2u);
  EXPECT_EQ(HealthOf("GPU-a"), "no-driver");
}

TEST_F(MachineWatchTest, StopEndsAWaitWithoutADriverAtOnce) {
  options_.absent = seconds(3600);
  backend_.SetPresent(false);
  Start();
  watch_->Stop();
  watch_->Stop();
}

TEST_F(MachineWatchTest, AMachineThatIsTheSameIsNoNews) {
  options_.looks = seconds(5);
  StartAndWait();
  backend_.Step(5);
  EXPECT_EQ(views(), 1u);
  Machine other = MachineOf(2);
  other.cards[0].node.minor = 7;  // after a reload of the driver
  backend_.Set(other);
  backend_.Step();
  EXPECT_EQ(views(), 2u);
  EXPECT_EQ(watch_->state()->machine.cards[0].node.minor, 7u);
}

TEST_F(MachineWatchTest, ACardThatWaitsForAResetWaitsOverARestart) {
  const test::TemporaryDirectory directory;
  options_.health_file = directory.PathOf("health.json");
  StartAndWait();
  backend_.Tell(79, "GPU-b");
  backend_.Step();
  ASSERT_EQ(HealthOf("GPU-b"), "xid-79");
  End();
  ScriptedBackend next(clock_);
  MachineWatch watch(
      options_, next, clock_, log_, [](const auto&) {}, [](const auto&) {});
  watch.Start();
  EXPECT_EQ(watch.state()->health.at("GPU-b"), "xid-79");
  EXPECT_EQ(watch.state()->health.at("GPU-a"), "ok");
  next.Open();
}

TEST_F(MachineWatchTest, AHealthFileThatCannotBeWrittenIsSaidOnce) {
  options_.health_file = "/nowhere/at/all/health.json";
  StartAndWait();
  backend_.Tell(79, "GPU-b");
  backend_.Step(5);
  EXPECT_EQ(HealthOf("GPU-b"), "xid-79");
  EXPECT_EQ(log_.Count("health of cards not kept"), 1);
}

}  // namespace
}  // namespace aliquot::agent
