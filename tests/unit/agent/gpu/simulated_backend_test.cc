// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/simulated_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

#include "base/clock.h"
#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr milliseconds kNow{0};

class SimulatedBackendTest : public ::testing::Test {
 protected:
  void SetUp() override { scratch_.Write("machine.yaml", kThreeCards); }

  std::unique_ptr<SimulatedBackend> Make() {
    auto backend = SimulatedBackend::Create(scratch_.File("machine.yaml"),
                                            scratch_.File("state.yaml"), clock_);
    EXPECT_TRUE(backend.ok()) << backend.status().message();
    return *std::move(backend);
  }
  void SetState(const std::string& body) { scratch_.Write("state.yaml", StateText(body)); }

  FakeClock clock_;
  ScratchDirectory scratch_;
};

TEST_F(SimulatedBackendTest, AWrongProfileMakesNone) {
  scratch_.Write("machine.yaml", "kind: Pod\n");
  const auto backend = SimulatedBackend::Create(scratch_.File("machine.yaml"), "", clock_);
  ASSERT_FALSE(backend.ok());
  EXPECT_EQ(backend.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(backend.status().message(), HasSubstr("machine.yaml:1: apiVersion is missing"));
}

TEST_F(SimulatedBackendTest, WithoutAStateFileTheMachineIsIntact) {
  const auto backend = Make();
  const auto machine = backend->Look();
  ASSERT_TRUE(machine.ok());
  EXPECT_THAT(machine->cards, SizeIs(3));
  const auto checks = backend->CheckCards();
  ASSERT_TRUE(checks.ok());
  ASSERT_THAT(*checks, SizeIs(3));
  for (const CardCheck& check : *checks) {
    EXPECT_TRUE(check.present && !check.uncorrectable_pending && !check.remap_failed);
  }
  EXPECT_EQ(backend->Figures("GPU-a")->mib_total, 15360);
}

TEST_F(SimulatedBackendTest, ANewStateFileIsSeenAtTheNextCall) {
  const auto backend = Make();
  ASSERT_TRUE(backend->Look().ok());
  SetState("cards: [{uuid: GPU-a, lost: true}, {uuid: GPU-b, uncorrectablePending: true}]\n");
  const auto checks = backend->CheckCards();
  ASSERT_TRUE(checks.ok()) << checks.status().message();
  EXPECT_FALSE((*checks)[0].present);
  EXPECT_TRUE((*checks)[1].uncorrectable_pending);
  EXPECT_THAT(backend->Look()->cards, SizeIs(2));
  EXPECT_EQ(backend->Figures("GPU-a").status().code(), StatusCode::kNotFound);
  // And what was told no longer is over.
  SetState("");
  EXPECT_THAT(backend->Look()->cards, SizeIs(3));
}

TEST_F(SimulatedBackendTest, AnEventIsToldOnce) {
  const auto backend = Make();
  ASSERT_TRUE(backend->Look().ok());
  SetState("events: [{sequence: 1, xid: 31, card: GPU-a}, {sequence: 2, xid: 79, card: GPU-b}]\n");
  const auto events = backend->WaitForEvents(kNow);
  ASSERT_TRUE(events.ok()) << events.status().message();
  ASSERT_THAT(*events, SizeIs(2));
  EXPECT_EQ((*events)[1].code, 79u);
  EXPECT_THAT(*backend->WaitForEvents(kNow), IsEmpty());
  SetState("events: [{sequence: 2, xid: 79, card: GPU-b}, {sequence: 3, xid: 48, card: GPU-c}]\n");
  const auto later = backend->WaitForEvents(kNow);
  ASSERT_THAT(*later, SizeIs(1));
  EXPECT_EQ((*later)[0].code, 48u);
}

TEST_F(SimulatedBackendTest, WhatHappenedBeforeTheFirstLookIsHistory) {
  SetState("events: [{sequence: 7, xid: 79, card: GPU-a}]\n");
  const auto backend = Make();
  ASSERT_TRUE(backend->Look().ok());
  EXPECT_THAT(*backend->WaitForEvents(kNow), IsEmpty());
}

TEST_F(SimulatedBackendTest, AnAbsentDriverMakesEveryAnswerUnavailable) {
  const auto backend = Make();
  ASSERT_TRUE(backend->Look().ok());
  SetState("driver: absent\nevents: [{sequence: 1, xid: 79}]\n");
  EXPECT_EQ(backend->Look().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(backend->CheckCards().status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(backend->Figures("GPU-a").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(backend->WaitForEvents(kNow).status().code(), StatusCode::kUnavailable);
  // Back: a client has to look again first, and what came meanwhile is history.
  SetState("events: [{sequence: 1, xid: 79}]\n");
  EXPECT_EQ(backend->CheckCards().status().code(), StatusCode::kUnavailable);
  ASSERT_TRUE(backend->Look().ok());
  EXPECT_TRUE(backend->CheckCards().ok());
  EXPECT_THAT(*backend->WaitForEvents(kNow), IsEmpty());
}

TEST_F(SimulatedBackendTest, AfterReleaseOnlyALookTakesTheDriverAgain) {
  const auto backend = Make();
  ASSERT_TRUE(backend->Look().ok());
  backend->Release();
  EXPECT_EQ(backend->CheckCards().status().code(), StatusCode::kUnavailable);
  ASSERT_TRUE(backend->Look().ok());
  EXPECT_TRUE(backend->CheckCards().ok());
}

TEST_F(SimulatedBackendTest, AWrongStateFileIsAnErrorThatNamesIt) {
  const auto backend = Make();
  SetState("cards: [{uuid: GPU-z}]\n");
  const auto machine = backend->Look();
  ASSERT_FALSE(machine.ok());
  EXPECT_EQ(machine.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(machine.status().message(), HasSubstr(scratch_.File("state.yaml") + ":3: cards[0]"));
}

TEST_F(SimulatedBackendTest, AStateFileThatIsADirectoryIsAnError) {
  std::filesystem::create_directory(scratch_.File("state.yaml"));
  const auto machine = Make()->Look();
  ASSERT_FALSE(machine.ok());
  EXPECT_THAT(machine.status().message(), HasSubstr("the state file cannot be read"));
}

TEST_F(SimulatedBackendTest, AStateFileTooLargeIsAnError) {
  SetState("# " + std::string(kMaxStateBytes, 'x') + "\n");
  const auto machine = Make()->Look();
  ASSERT_FALSE(machine.ok());
  EXPECT_THAT(machine.status().message(), HasSubstr("has more than 262144 bytes; shorten it"));
}

// The real clock: the wait ends because the file is renamed into place, long before its time-out.
TEST(SimulatedBackendWait, ANewStateFileEndsAWait) {
  const ScratchDirectory scratch;
  scratch.Write("machine.yaml", kThreeCards);
  const RealClock clock;
  const auto backend =
      *SimulatedBackend::Create(scratch.File("machine.yaml"), scratch.File("state.yaml"), clock);
  ASSERT_TRUE(backend->Look().ok());
  auto waiting = std::async(std::launch::async,
                            [&] { return backend->WaitForEvents(std::chrono::seconds(50)); });
  scratch.Write("other.yaml", "not the state file\n");
  scratch.Write("state.yaml", StateText("events: [{sequence: 1, xid: 79, card: GPU-a}]\n"));
  ASSERT_EQ(waiting.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  const auto events = waiting.get();
  ASSERT_TRUE(events.ok()) << events.status().message();
  ASSERT_THAT(*events, SizeIs(1));
  EXPECT_EQ((*events)[0].code, 79u);
}

TEST_F(SimulatedBackendTest, WorkIsTheProcessesOfTheStateFile) {
  auto backend = Make();
  const auto machine = backend->Look();
  ASSERT_TRUE(machine.ok());
  const std::string uuid = machine->cards[0].card.uuid;
  SetState("cards: [{uuid: " + uuid +
           ", processes: [{pid: 7, mib: 300, smPercent: 40}, {pid: 8}]}]\n");
  const auto work = backend->Work(uuid, 0);
  ASSERT_TRUE(work.ok()) << work.status().message();
  ASSERT_EQ(work->processes.size(), 2u);
  EXPECT_EQ(work->processes[0].bytes, 300u << 20);
  EXPECT_EQ(work->processes[1].bytes, std::nullopt);
  ASSERT_EQ(work->samples.size(), 1u);
  EXPECT_EQ(work->samples[0].sm_percent, 40);
  EXPECT_TRUE(backend->Work(uuid, work->samples[0].timestamp_us)->samples.empty()) << "no later";
}

}  // namespace
}  // namespace aliquot::agent
