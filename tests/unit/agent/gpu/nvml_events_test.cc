// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_events.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::chrono::milliseconds kLong = std::chrono::seconds(50);
constexpr std::chrono::milliseconds kShort(10);

class NvmlEventsTest : public NvmlTest {
 protected:
  // Events in one answer, in words: "GPU-0 xid 79".
  std::vector<std::string> Wait(std::chrono::milliseconds timeout) {
    Result<std::vector<GpuEvent>> events = backend().WaitForEvents(timeout);
    EXPECT_TRUE(events.ok()) << events.status().message();
    std::vector<std::string> words;
    for (const GpuEvent& each : events.ok() ? *events : std::vector<GpuEvent>()) {
      words.push_back(each.uuid + (each.kind == GpuEvent::Kind::kXid
                                       ? " xid " + std::to_string(each.code)
                                       : std::string(" ecc")));
    }
    return words;
  }
};

TEST_F(NvmlEventsTest, EventsAreToldWithTheirCard) {
  Machine(Cards(2));
  Look();
  State(
      "events: [{sequence: 1, card: GPU-1, xid: 79}, {sequence: 2, card: GPU-0, eccDouble: "
      "true}]\n");
  EXPECT_THAT(Wait(kLong), ElementsAre("GPU-1 xid 79", "GPU-0 ecc"));
}

TEST_F(NvmlEventsTest, EachEventIsToldOnce) {
  Machine(Cards(1));
  Look();
  State("events: [{sequence: 1, card: GPU-0, xid: 31}]\n");
  EXPECT_THAT(Wait(kLong), ElementsAre("GPU-0 xid 31"));
  EXPECT_THAT(Wait(kShort), ElementsAre());
}

TEST_F(NvmlEventsTest, EventWakesAWaitThatIsUnderWay) {
  Machine(Cards(1));
  Look();
  std::vector<std::string> told;
  std::thread waiting([&] { told = Wait(kLong); });
  State("events: [{sequence: 1, card: GPU-0, xid: 31}]\n");
  waiting.join();
  EXPECT_THAT(told, ElementsAre("GPU-0 xid 31"));
}

TEST_F(NvmlEventsTest, WhatWasBeforeTheFirstLookIsNotTold) {
  Machine(Cards(1));
  State("events: [{sequence: 7, card: GPU-0, xid: 31}]\n");
  Look();
  EXPECT_THAT(Wait(kShort), ElementsAre());
}

TEST_F(NvmlEventsTest, SecondLookLosesNoEvent) {
  Machine(Cards(1));
  Look();
  State("events: [{sequence: 1, card: GPU-0, xid: 31}]\n");
  Look();
  EXPECT_THAT(Wait(kLong), ElementsAre("GPU-0 xid 31"));
}

TEST_F(NvmlEventsTest, EventOfNoCardConcernsAll) {
  Machine(Cards(1));
  Look();
  State("events: [{sequence: 1, xid: 62}]\n");
  EXPECT_THAT(Wait(kLong), ElementsAre(" xid 62"));
}

TEST_F(NvmlEventsTest, WithoutALookAWaitSleeps) {
  Machine(Cards(1));
  EXPECT_THAT(Wait(kShort), ElementsAre());
}

TEST_F(NvmlEventsTest, CardWithoutEventsIsNotedAndTheOthersAreTold) {
  Machine(Cards(2));
  Faults("{function: nvmlDeviceRegisterEvents, card: 0, error: 3}");
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(machine.notes,
              ElementsAre("GPU-0 tells no events, so its XID errors are not seen: this card does "
                          "not support it (nvmlDeviceRegisterEvents answered 3); use another card "
                          "or a newer driver"));
  State("events: [{sequence: 1, card: GPU-0, xid: 31}, {sequence: 2, card: GPU-1, xid: 32}]\n");
  EXPECT_THAT(Wait(kLong), ElementsAre("GPU-1 xid 32"));
}

TEST_F(NvmlEventsTest, NoCardWithEventsMakesAWaitASleep) {
  Machine(Cards(1));
  Faults("{function: nvmlDeviceRegisterEvents, error: 3}");
  Look();
  EXPECT_THAT(Wait(kShort), ElementsAre());
}

TEST_F(NvmlEventsTest, WaitThatFailsIsAnErrorAndTheNextOneWorks) {
  Machine(Cards(1));
  Look();
  Faults("{function: nvmlEventSetWait_v2, error: 15, times: 1}");
  EXPECT_THAT(backend().WaitForEvents(kShort).status().message(),
              HasSubstr("nvmlEventSetWait_v2 answered 15"));
  State("events: [{sequence: 1, card: GPU-0, xid: 31}]\n");
  EXPECT_THAT(Wait(kLong), ElementsAre("GPU-0 xid 31"));
}

}  // namespace
}  // namespace aliquot::agent
