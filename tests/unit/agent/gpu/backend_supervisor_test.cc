// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/backend_supervisor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/gpu/none_backend.h"
#include "base/clock.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr char kNoDriver[] = "libnvidia-ml.so.1 is not there";
constexpr milliseconds kNow{0};

// A driver that is there or not.
class FakeDriver final : public GpuBackend {
 public:
  std::string_view name() const override { return "nvml"; }
  Result<Machine> Look() override {
    ++looks;
    if (on_look) {
      on_look();
    }
    return present ? Result<Machine>(Machine{"535.1", {}, {}, {}, {}, {}}) : Gone();
  }
  Result<std::vector<GpuEvent>> WaitForEvents(milliseconds) override {
    ++others;
    return present ? Result<std::vector<GpuEvent>>(std::vector<GpuEvent>()) : Gone();
  }
  Result<std::vector<CardCheck>> CheckCards() override {
    ++others;
    return present ? Result<std::vector<CardCheck>>(std::vector<CardCheck>()) : Gone();
  }
  Result<CardFigures> Figures(std::string_view) override {
    ++others;
    return NotFound("no such card");
  }
  Result<CardWork> Work(std::string_view, std::uint64_t) override {
    ++others;
    return present ? Result<CardWork>(CardWork()) : Gone();
  }
  void Release() override { ++releases; }

  static Status Gone() { return Unavailable(kNoDriver); }

  bool present = true;
  int looks = 0;
  int others = 0;
  int releases = 0;
  std::function<void()> on_look;
};

class MemoryLog final : public observability::Log {
 public:
  void Write(observability::Level, std::string_view, std::string_view message,
             std::initializer_list<observability::Field>) override {
    lines.emplace_back(message);
  }
  std::vector<std::string> lines;
};

class BackendSupervisorTest : public ::testing::Test {
 protected:
  BackendSupervisorTest() {
    auto driver = std::make_unique<FakeDriver>();
    driver_ = driver.get();
    supervisor_ = std::make_unique<BackendSupervisor>(std::move(driver), clock_, log_);
  }

  FakeClock clock_;
  MemoryLog log_;
  FakeDriver* driver_ = nullptr;
  std::unique_ptr<BackendSupervisor> supervisor_;
};

TEST_F(BackendSupervisorTest, UntilALookHasSucceededTheDriverIsNotTouched) {
  EXPECT_EQ(supervisor_->name(), "none");
  EXPECT_EQ(supervisor_->CheckCards().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(supervisor_->Figures("GPU-a").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(supervisor_->WaitForEvents(kNow).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(supervisor_->Work("GPU-a", 0).status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(driver_->others, 0);
  ASSERT_TRUE(supervisor_->Look().ok());
  EXPECT_EQ(supervisor_->name(), "nvml");
  EXPECT_TRUE(supervisor_->CheckCards().ok());
  EXPECT_TRUE(supervisor_->WaitForEvents(kNow).ok());
  EXPECT_TRUE(supervisor_->Work("GPU-a", 0).ok());
}

TEST_F(BackendSupervisorTest, AbsenceIsSaidOnceAndSoIsTheReturn) {
  driver_->present = false;
  for (int i = 0; i < 5; ++i) {
    const auto machine = supervisor_->Look();
    EXPECT_EQ(machine.status().code(), StatusCode::kUnavailable);
    EXPECT_EQ(machine.status().message(), kNoDriver);
    clock_.Advance(seconds(10));
  }
  driver_->present = true;
  EXPECT_TRUE(supervisor_->Look().ok());
  EXPECT_TRUE(supervisor_->Look().ok());
  EXPECT_THAT(log_.lines,
              ElementsAre("there is no driver; it is looked for again", "the driver is there"));
}

// Tried at 0, 1, 3, 7, 15, 25, 35 s: the gaps double from one second up to ten.
TEST_F(BackendSupervisorTest, AnAbsentDriverIsTriedAtGrowingDistances) {
  driver_->present = false;
  std::vector<int> tried;
  for (int second = 0; second <= 40; ++second) {
    const int before = driver_->looks;
    EXPECT_FALSE(supervisor_->Look().ok());
    if (driver_->looks != before) {
      tried.push_back(second);
    }
    clock_.Advance(seconds(1));
  }
  EXPECT_THAT(tried, ElementsAre(0, 1, 3, 7, 15, 25, 35));
}

TEST_F(BackendSupervisorTest, ADriverLostBetweenLooksIsTriedAtOnce) {
  ASSERT_TRUE(supervisor_->Look().ok());
  driver_->present = false;
  EXPECT_EQ(supervisor_->CheckCards().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(supervisor_->name(), "none");
  EXPECT_EQ(supervisor_->WaitForEvents(kNow).status().message(), kNoDriver);
  EXPECT_EQ(driver_->others, 1);  // only the call that found out
  driver_->present = true;
  EXPECT_TRUE(supervisor_->Look().ok());
}

TEST_F(BackendSupervisorTest, OtherErrorsAreNoLossOfTheDriver) {
  ASSERT_TRUE(supervisor_->Look().ok());
  EXPECT_EQ(supervisor_->Figures("GPU-a").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(supervisor_->name(), "nvml");
}

TEST_F(BackendSupervisorTest, HoldLetsGoOfTheDriverUntilResume) {
  ASSERT_TRUE(supervisor_->Look().ok());
  supervisor_->Hold("the driver is being upgraded");
  EXPECT_EQ(driver_->releases, 1);
  EXPECT_TRUE(supervisor_->held());
  EXPECT_EQ(supervisor_->name(), "none");
  const int looks = driver_->looks;
  const auto machine = supervisor_->Look();
  EXPECT_EQ(machine.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(machine.status().message(), "the driver is being upgraded");
  supervisor_->Hold("the cards are being repartitioned");
  EXPECT_EQ(supervisor_->CheckCards().status().message(), "the cards are being repartitioned");
  EXPECT_EQ(driver_->looks, looks);
  EXPECT_EQ(driver_->releases, 1);
  supervisor_->Resume();
  EXPECT_TRUE(supervisor_->Look().ok());
  EXPECT_THAT(log_.lines,
              ElementsAre("the driver is there", "the driver is let go of until told otherwise",
                          "the driver may be used again", "the driver is there"));
}

TEST_F(BackendSupervisorTest, ALookUnderWayWhenHoldComesLetsGoAgain) {
  driver_->on_look = [this] { supervisor_->Hold("the driver is being upgraded"); };
  const auto machine = supervisor_->Look();
  EXPECT_EQ(machine.status().message(), "the driver is being upgraded");
  EXPECT_EQ(driver_->releases, 2);  // by Hold, and after the Look that may have taken it since
  EXPECT_EQ(supervisor_->name(), "none");
}

TEST_F(BackendSupervisorTest, ReleaseIsTakenBackByTheNextLook) {
  ASSERT_TRUE(supervisor_->Look().ok());
  supervisor_->Release();
  EXPECT_EQ(driver_->releases, 1);
  EXPECT_EQ(supervisor_->CheckCards().status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(supervisor_->Look().ok());
}

TEST(NoneBackend, EveryAnswerIsItsSentence) {
  NoneBackend none("configured so");
  EXPECT_EQ(none.name(), "none");
  EXPECT_EQ(none.Look().status().ToString(), "UNAVAILABLE: configured so");
  EXPECT_EQ(none.CheckCards().status().ToString(), "UNAVAILABLE: configured so");
  EXPECT_EQ(none.Figures("GPU-a").status().ToString(), "UNAVAILABLE: configured so");
  EXPECT_EQ(none.WaitForEvents(kNow).status().ToString(), "UNAVAILABLE: configured so");
}

}  // namespace
}  // namespace aliquot::agent
