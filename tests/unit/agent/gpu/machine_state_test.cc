// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/agent/gpu/profile_fixture.h"
#include "tests/unit/program/problems_of.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;

MachineState StateOf(const std::string& text) {
  program::Problems problems;
  auto state = ParseMachineState(text, "s.yaml", ThreeCards(), problems);
  EXPECT_TRUE(state.has_value()) << program::Text(problems);
  return state.value_or(MachineState());
}

std::string ProblemsOf(const std::string& body) {
  program::Problems problems;
  EXPECT_FALSE(ParseMachineState(StateText(body), "s.yaml", ThreeCards(), problems).has_value())
      << body;
  return program::Text(problems);
}

Machine MachineOf(const std::string& body) {
  return MachineInState(ThreeCards(), StateOf(StateText(body)));
}

std::vector<std::string> UuidsOf(const Machine& machine) {
  std::vector<std::string> uuids;
  for (const MachineCard& each : machine.cards) {
    uuids.push_back(each.card.uuid);
  }
  return uuids;
}

TEST(MachineState, WhatIsNotToldIsAsTheProfileSays) {
  const MachineState state = StateOf(StateText(""));
  EXPECT_TRUE(state.driver_present);
  ASSERT_EQ(state.cards.size(), 3u);
  EXPECT_EQ(state.cards[2].uuid, "GPU-c");
  EXPECT_FALSE(state.cards[2].lost);
  EXPECT_EQ(state.cards[2].figures.mib_total, 15360);
  EXPECT_EQ(state.cards[2].figures.mib_used, 0);
  const Machine machine = MachineInState(ThreeCards(), state);
  EXPECT_EQ(machine.links, ThreeCards().machine.links);
  EXPECT_EQ(machine.nics, ThreeCards().machine.nics);
  EXPECT_EQ(machine.control, ThreeCards().machine.control);
  EXPECT_TRUE(machine.notes.empty());
}

TEST(MachineState, JsonIsReadTheSame) {
  const MachineState state = StateOf(
      R"({"apiVersion": "aliquot.io/v1alpha1", "kind": "MachineState", "driver": "absent",
          "events": [{"sequence": 4, "xid": 79, "card": "GPU-b"}]})");
  EXPECT_FALSE(state.driver_present);
  ASSERT_EQ(state.events.size(), 1u);
  EXPECT_EQ(state.events[0].sequence, 4u);
  EXPECT_EQ(state.events[0].event.code, 79u);
  EXPECT_EQ(state.events[0].event.uuid, "GPU-b");
}

TEST(MachineState, EventsMayConcernNoCardInParticular) {
  const MachineState state = StateOf(
      StateText("events:\n  - {sequence: 1, xid: 62}\n  - {sequence: 3, eccDouble: true}\n"));
  ASSERT_EQ(state.events.size(), 2u);
  EXPECT_EQ(state.events[0].event.uuid, "");
  EXPECT_EQ(state.events[0].event.kind, GpuEvent::Kind::kXid);
  EXPECT_EQ(state.events[1].event.kind, GpuEvent::Kind::kEccDouble);
}

TEST(MachineState, FiguresAreThoseTold) {
  const MachineState state =
      StateOf(StateText("cards:\n"
                        "  - uuid: GPU-b\n"
                        "    mibUsed: 1200\n"
                        "    gpuPercent: 40\n"
                        "    temperatureCelsius: 61\n"
                        "    powerMilliwatts: 70500\n"
                        "    processes: [{pid: 4711, mib: 900, smPercent: 35}, {pid: 4712}]\n"));
  const CardFigures& figures = state.cards[1].figures;
  EXPECT_EQ(figures.mib_used, 1200);
  EXPECT_EQ(figures.mib_total, 15360);
  EXPECT_EQ(figures.gpu_percent, 40);
  EXPECT_EQ(figures.memory_percent, std::nullopt);
  EXPECT_EQ(figures.temperature_celsius, 61);
  EXPECT_EQ(figures.power_milliwatts, 70500);
  ASSERT_EQ(figures.processes.size(), 2u);
  EXPECT_EQ(figures.processes[0].pid, 4711);
  EXPECT_EQ(figures.processes[0].mib, 900);
  EXPECT_EQ(figures.processes[0].sm_percent, 35);
  EXPECT_EQ(figures.processes[1].mib, -1);
  EXPECT_EQ(figures.processes[1].sm_percent, -1);
}

// Links of A, B, C: AB PIX, AC SYS, BC NODE.
TEST(MachineState, ALostCardLeavesTheMachineWithItsLinks) {
  const Machine machine = MachineOf("cards: [{uuid: GPU-b, lost: true}]\n");
  EXPECT_THAT(UuidsOf(machine), ElementsAre("GPU-a", "GPU-c"));
  EXPECT_THAT(machine.links, ElementsAre("SYS"));
  EXPECT_THAT(machine.nics[0].to_cards, ElementsAre("PIX", "SYS"));
  EXPECT_THAT(machine.notes, ElementsAre("the driver has lost the card GPU-b and says no more of "
                                         "it; it is left out"));
}

// Minors 1, 2, 0 for A, B, C: the order is C, A, B, the pairs CA SYS, CB NODE, AB PIX.
TEST(MachineState, OtherMinorsReorderCardsNodesAndLinks) {
  const Machine machine = MachineOf(
      "cards: [{uuid: GPU-a, minor: 1}, {uuid: GPU-b, minor: 2}, {uuid: GPU-c, minor: 0}]\n");
  EXPECT_THAT(UuidsOf(machine), ElementsAre("GPU-c", "GPU-a", "GPU-b"));
  EXPECT_EQ(machine.cards[0].card.minor, 0);
  EXPECT_EQ(machine.cards[2].node, (DeviceNode{"nvidia2", 195, 2, 0666, 0, 0}));
  EXPECT_THAT(machine.links, ElementsAre("SYS", "NODE", "PIX"));
  EXPECT_THAT(machine.nics[0].to_cards, ElementsAre("SYS", "PIX", "PXB"));
}

TEST(MachineState, WhatIsWrongIsSaid) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"driver: gone\n", "s.yaml:3: driver is \"gone\"; choose among present, absent\n"},
      {"cards: [{uuid: GPU-z, lost: true}]\n",
       "s.yaml:3: cards[0].uuid is \"GPU-z\", which the machine profile does not have; name one of "
       "its cards\n"},
      {"cards: [{lost: true}]\n", "s.yaml:3: cards[0].uuid is missing; add it\n"},
      {"cards: [{uuid: GPU-a}, {uuid: GPU-a}]\n",
       "s.yaml:3: cards[1].uuid is \"GPU-a\", which an earlier entry names; keep one\n"},
      {"cards: [{uuid: GPU-a, minor: 1}]\n",
       "s.yaml:3: cards give two cards the minor number 1; give each its own\n"},
      {"cards: [{uuid: GPU-a, mibUsed: 20000}]\n",
       "s.yaml:3: cards[0].mibUsed is 20000, more than the card's 15360 MiB; lower it\n"},
      {"cards: [{uuid: GPU-a, gpuPercent: 101}]\n",
       "s.yaml:3: cards[0].gpuPercent is \"101\"; write a whole number from 0 to 100\n"},
      {"cards: [{uuid: GPU-a, broken: true}]\n",
       "s.yaml:3: cards[0].broken is not a known key; correct its spelling or remove it\n"},
      {"events: [{sequence: 1}]\n",
       "s.yaml:3: events[0].xid and eccDouble: true exclude each other; give one of the two\n"},
      {"events: [{sequence: 2, xid: 79}, {sequence: 2, xid: 79}]\n",
       "s.yaml:3: events[1].sequence is 2, not above 2 of the event before; number the events in "
       "their order\n"},
      {"events: [{sequence: 1, xid: 79, card: GPU-z}]\n",
       "s.yaml:3: events[0].card is \"GPU-z\", which the machine profile does not have; name one "
       "of its cards\n"},
  };
  for (const auto& [body, problem] : wrong) {
    EXPECT_EQ(ProblemsOf(body), problem);
  }
}

}  // namespace
}  // namespace aliquot::agent
