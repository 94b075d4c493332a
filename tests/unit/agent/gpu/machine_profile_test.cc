// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/machine_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/agent/gpu/profile_fixture.h"
#include "tests/unit/program/problems_of.h"
#include "topology/read_topology.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Head() {
  const std::string text = kThreeCards;
  return text.substr(0, text.find("everyCard"));
}

// A profile of these cards, which are lines below `cards:`.
std::string WithCards(const std::string& cards, const std::string& rest = "") {
  return Head() + "everyCard: {model: Tesla T4, mib: 15360, computeCapability: \"7.5\"}\n" +
         "cards:" + cards + "\n" + rest +
         "deviceNodes:\n"
         "  control: [{name: nvidiactl, major: 195, minor: 255}]\n";
}

std::string Card(const std::string& uuid, int minor, const std::string& more = "") {
  char pci[32];
  std::snprintf(pci, sizeof pci, "0000:%02x:00.0", minor % 200 + 16);
  return "\n  - {uuid: " + uuid + ", minor: " + std::to_string(minor) + ", pci: \"" + pci + "\"" +
         more + "}";
}

std::string ProblemsOf(const std::string& text) {
  program::Problems problems;
  EXPECT_FALSE(ParseMachineProfile(text, "p.yaml", problems).has_value()) << text;
  return program::Text(problems);
}

MachineProfile ProfileOf(const std::string& text) {
  program::Problems problems;
  auto profile = ParseMachineProfile(text, "p.yaml", problems);
  EXPECT_TRUE(profile.has_value()) << program::Text(problems);
  return profile.value_or(MachineProfile());
}

TEST(MachineProfile, AWholeMachineIsRead) {
  const MachineProfile profile = ThreeCards();
  EXPECT_EQ(profile.cuda, "12.2");
  EXPECT_EQ(profile.machine.driver, "535.183.01");
  ASSERT_EQ(profile.machine.cards.size(), 3u);
  const MachineCard& card = profile.machine.cards[1];
  EXPECT_EQ(card.card.uuid, "GPU-b");
  EXPECT_EQ(card.card.minor, 1);
  EXPECT_EQ(card.card.model, "Tesla T4");
  EXPECT_EQ(card.card.mib, 15360);
  EXPECT_EQ(card.card.pci, "0000:5e:00.0");
  EXPECT_EQ(card.card.numa, 0);
  EXPECT_EQ(card.card.compute_capability, "7.5");
  EXPECT_EQ(card.card.health, "ok");
  EXPECT_EQ(card.card.mode, "");
  EXPECT_EQ(card.node, (DeviceNode{"nvidia1", 195, 1, 0666, 0, 0}));
  EXPECT_THAT(profile.machine.control, ElementsAre(DeviceNode{"nvidiactl", 195, 255, 0666, 0, 0},
                                                   DeviceNode{"nvidia-uvm", 511, 0, 0666, 0, 0}));
  EXPECT_THAT(profile.machine.links, ElementsAre("PIX", "SYS", "NODE"));
  ASSERT_EQ(profile.machine.nics.size(), 1u);
  EXPECT_THAT(profile.machine.nics[0].to_cards, ElementsAre("PIX", "PXB", "SYS"));
  EXPECT_FALSE(profile.nvlink.has_value());
}

TEST(MachineProfile, ACardMaySayOtherwiseThanEveryCard) {
  const MachineProfile profile = ProfileOf(
      WithCards(Card("GPU-a", 0) + Card("GPU-b", 1,
                                        ", model: L4, mib: 23034, computeCapability: \"8.9\", "
                                        "contextMiB: 512, mode: mig")));
  EXPECT_EQ(profile.machine.cards[0].card.model, "Tesla T4");
  EXPECT_EQ(profile.machine.cards[1].card.model, "L4");
  EXPECT_EQ(profile.machine.cards[1].card.mib, 23034);
  EXPECT_EQ(profile.machine.cards[1].card.mode, "mig");
}

TEST(MachineProfile, AMachineMayHaveNoCard) {
  EXPECT_TRUE(ProfileOf(WithCards(" []")).machine.cards.empty());
}

TEST(MachineProfile, AMachineMayHaveSixteenCards) {
  std::string cards;
  for (int i = 0; i < 16; ++i) {
    cards += Card("GPU-" + std::to_string(i), i);
  }
  const MachineProfile profile = ProfileOf(WithCards(cards, "links: {default: NV18}\n"));
  EXPECT_EQ(profile.machine.cards.size(), 16u);
  EXPECT_EQ(profile.machine.links.size(), 120u);  // 16 x 15 / 2
}

TEST(MachineProfile, MoreCardsThanAnInventoryHoldsAreRefused) {
  std::string cards;
  for (int i = 0; i < 65; ++i) {
    cards += Card("GPU-" + std::to_string(i), i);
  }
  EXPECT_EQ(ProblemsOf(WithCards(cards)),
            "p.yaml:6: cards lists 65 cards; at most 64 are accepted\n");
}

TEST(MachineProfile, DuplicatesAreRefused) {
  EXPECT_EQ(ProblemsOf(WithCards(Card("GPU-a", 0) + Card("GPU-a", 1))),
            "p.yaml:8: cards[1].uuid is \"GPU-a\", as an earlier card's is; give each card its "
            "own\n");
  EXPECT_EQ(ProblemsOf(WithCards(Card("GPU-a", 3) +
                                 "\n  - {uuid: GPU-b, minor: 3, pci: \"0000:3b:00.0\"}")),
            "p.yaml:8: cards[1].minor is 3, not above 3 of the card before; list the cards by "
            "minor number\n");
  EXPECT_EQ(ProblemsOf(WithCards("\n  - {uuid: GPU-a, minor: 0, pci: \"0000:3b:00.0\"}"
                                 "\n  - {uuid: GPU-b, minor: 1, pci: \"0000:3b:00.0\"}")),
            "p.yaml:8: cards[1].pci is \"0000:3b:00.0\", as an earlier card's is; give each card "
            "its own\n");
}

// Each wrong profile, and its one sentence.
TEST(MachineProfile, WhatIsWrongWithACardIsSaid) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {Card("card-1", 0),
       "p.yaml:7: cards[0].uuid is \"card-1\"; write \"GPU-\" with letters, digits and '-' after "
       "it\n"},
      {"\n  - {minor: 0, pci: \"0000:3b:00.0\"}", "p.yaml:7: cards[0].uuid is missing; add it\n"},
      {"\n  - {uuid: GPU-a, pci: \"0000:3b:00.0\"}",
       "p.yaml:7: cards[0].minor is missing; add it\n"},
      {"\n  - {uuid: GPU-a, minor: -1, pci: \"0000:3b:00.0\"}",
       "p.yaml:7: cards[0].minor is \"-1\"; write a whole number from 0 to 1048575\n"},
      {"\n  - {uuid: GPU-a, minor: 0, pci: \"00000000:3B:00.0\"}",
       "p.yaml:7: cards[0].pci is \"00000000:3B:00.0\"; write it as sysfs does, in lower case: "
       "\"0000:3b:00.0\"\n"},
      {Card("GPU-a", 0, ", mib: 0"),
       "p.yaml:7: cards[0].mib is \"0\"; write a whole number from 1 to 1073741824\n"},
      {Card("GPU-a", 0, ", contextMiB: 0"),
       "p.yaml:7: cards[0].contextMiB is \"0\"; write a whole number from 1 to 1073741824\n"},
      {Card("GPU-a", 0, ", numa: x"),
       "p.yaml:7: cards[0].numa is \"x\"; write a whole number from -1 to 4095\n"},
      {Card("GPU-a", 0, ", mode: vgpu"),
       "p.yaml:7: cards[0].mode is \"vgpu\"; choose among none, mig\n"},
      {Card("GPU-a", 0, ", computeCapability: seven"),
       "p.yaml:7: cards[0].computeCapability is \"seven\"; write it as \"8.0\"\n"},
      {Card("GPU-a", 0, ", memory: 5"),
       "p.yaml:7: cards[0].memory is not a known key; correct its spelling or remove it\n"},
      {Card("GPU-a", 255),
       "p.yaml:9: deviceNodes.control[0].name is \"nvidiactl\", whose name or numbers another node "
       "has; give it its own\n"},
  };
  for (const auto& [cards, problem] : wrong) {
    EXPECT_EQ(ProblemsOf(WithCards(cards)), problem);
  }
}

TEST(MachineProfile, ACardWithoutModelInEitherPlaceIsRefused) {
  EXPECT_EQ(ProblemsOf(Head() + "cards:" + Card("GPU-a", 0) + "\ndeviceNodes: {control: []}\n"),
            "p.yaml:6: cards[0].model is missing; add it here or to everyCard\n"
            "p.yaml:6: cards[0].mib is missing; add it here or to everyCard\n"
            "p.yaml:6: cards[0].computeCapability is missing; add it here or to everyCard\n");
}

TEST(MachineProfile, WhatIsWrongWithLinksNicsAndNodesIsSaid) {
  const std::string two = Card("GPU-a", 0) + Card("GPU-b", 1);
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"links: {triangle: \"NV2,NV2\"}\n",
       "p.yaml:9: links.triangle has 2 words; give one for each of the 1 pairs of 2 cards\n"},
      {"links: {default: NV99}\n",
       "p.yaml:9: links.default holds a link that is not known: link is \"NV99\", not a link "
       "class; use NV1 to NV36, C2C, PIX, PXB, PHB, NODE or SYS\n"},
      {"links: {default: NV4}\nnvlink: {perCard: 3, linkMBPerSecond: 25781, through: cards}\n",
       "p.yaml:10: nvlink.perCard is 3, but cards[0] has 4 in links; correct one of the two\n"},
      {"nvlink: {perCard: 4, linkMBPerSecond: 25781, through: air}\n",
       "p.yaml:9: nvlink.through is \"air\"; choose among cards, nvswitch\n"},
      {"nics: [{name: mlx5_0, pci: \"0000:3b:00.0\", toCards: [PIX]}]\n",
       "p.yaml:9: nics[0].toCards has 1 words; give one for each of the 2 cards\n"},
      {"nics: [{name: mlx5_0, pci: \"0000:3b:00.0\", toCards: [PIX, XXX]}]\n",
       "p.yaml:9: nics[0].toCards holds a link that is not known: link is \"XXX\", not a link "
       "class; use NV1 to NV36, C2C, PIX, PXB, PHB, NODE or SYS\n"},
      {"clocks: fast\n",
       "p.yaml:9: clocks is not a known key; correct its spelling or remove it\n"},
  };
  for (const auto& [rest, problem] : wrong) {
    EXPECT_EQ(ProblemsOf(WithCards(two, rest)), problem);
  }
}

TEST(MachineProfile, ADeviceNodeOutsideOfDevIsRefused) {
  const std::string text = kThreeCards;
  EXPECT_EQ(ProblemsOf(text + "    - {name: ../etc/passwd, major: 1, minor: 3}\n"),
            "p.yaml:17: deviceNodes.control[2].name is \"../etc/passwd\"; write a path below /dev "
            "such as \"nvidia-uvm\"\n");
  EXPECT_EQ(ProblemsOf(text + "    - {name: nvidia-x, major: 1, minor: 3, mode: \"9\"}\n"),
            "p.yaml:17: deviceNodes.control[2].mode is \"9\"; write it in octal, such as "
            "\"0666\"\n");
}

TEST(MachineProfile, ModesOfNodesAreOctal) {
  const MachineProfile profile =
      ProfileOf(std::string(kThreeCards) +
                "    - {name: nvidia-caps/nvidia-cap1, major: 234, minor: 1, mode: \"0440\"}\n");
  EXPECT_EQ(profile.machine.control.back(),
            (DeviceNode{"nvidia-caps/nvidia-cap1", 234, 1, 0440, 0, 0}));
}

TEST(MachineProfile, AnotherKindOfDocumentIsRefused) {
  std::string text = kThreeCards;
  text.replace(text.find("MachineProfile"), 14, "Cluster");
  EXPECT_EQ(ProblemsOf(text), "p.yaml:2: kind is \"Cluster\"; choose among MachineProfile\n");
}

TEST(MachineProfile, EveryProblemIsToldAtOnce) {
  const std::string text = ProblemsOf("apiVersion: v1\nkind: MachineProfile\n");
  EXPECT_EQ(text,
            "p.yaml:1: apiVersion is \"v1\"; choose among aliquot.io/v1alpha1\n"
            "p.yaml:1: driver is missing; add it\n"
            "p.yaml:1: cuda is missing; add it\n"
            "p.yaml:1: cards is missing; add it\n"
            "p.yaml:1: deviceNodes is missing; add it\n");
}

TEST(MachineProfile, AFileThatIsNotThereIsNamedInTheError) {
  const auto profile = LoadMachineProfile("/nonexistent/p.yaml");
  ASSERT_FALSE(profile.ok());
  EXPECT_THAT(
      profile.status().message(),
      HasSubstr("/nonexistent/p.yaml: the file cannot be read (No such file or directory)"));
}

TEST(MachineProfile, OfSeveralProblemsInAFileTheFirstIsToldAndTheirNumber) {
  const ScratchDirectory scratch;
  scratch.Write("p.yaml", "apiVersion: v1\nkind: MachineProfile\n");
  const auto profile = LoadMachineProfile(scratch.File("p.yaml"));
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.status().message(),
            scratch.File("p.yaml") +
                ":1: apiVersion is \"v1\"; choose among aliquot.io/v1alpha1 (and 4 more problems)");
}

TEST(ShippedProfiles, EachLoadsAndNoTwoShareACard) {
  std::set<std::string> uuids;
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ALIQUOT_SOURCE_DIR) + "/profiles")) {
    if (entry.path().extension() != ".yaml") {
      continue;
    }
    names.insert(entry.path().stem());
    const auto profile = LoadMachineProfile(entry.path());
    ASSERT_TRUE(profile.ok()) << profile.status().message();
    EXPECT_FALSE(profile->machine.links.empty()) << entry.path();
    for (const MachineCard& each : profile->machine.cards) {
      EXPECT_TRUE(uuids.insert(each.card.uuid).second) << each.card.uuid;
      EXPECT_EQ(each.node.major, 195u);
    }
  }
  EXPECT_THAT(names, ElementsAre("a100x8", "a100x8-nics", "b200x8", "dgx1v", "h100pcie8", "h100x8",
                                 "h200x8", "t4x4"));
}

// Where a profile says that it has the links of a real machine, it has them.
TEST(ShippedProfiles, LinksAndNumaNodesAreThoseOfTheMatricesTheyName) {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"dgx1v", "01"},  {"a100x8", "04"},    {"a100x8-nics", "05"},
      {"h100x8", "06"}, {"h100pcie8", "12"},
  };
  for (const auto& [name, matrix] : pairs) {
    const auto profile = LoadMachineProfile(ShippedProfile(name));
    ASSERT_TRUE(profile.ok()) << profile.status().message();
    std::string text;
    for (const auto& entry : std::filesystem::directory_iterator(std::string(ALIQUOT_SOURCE_DIR) +
                                                                 "/tests/data/topology/matrices")) {
      if (entry.path().filename().string().rfind(matrix + "_", 0) == 0) {
        std::ostringstream whole;
        whole << std::ifstream(entry.path()).rdbuf();
        text = whole.str();
      }
    }
    const auto described = topology::ReadTopology(text, matrix);
    ASSERT_TRUE(described.ok()) << described.status().message();
    std::vector<std::string> links;
    for (const topology::Link& link : described->links) {
      links.push_back(topology::FormatLink(link));
    }
    EXPECT_EQ(profile->machine.links, links) << name;
    for (std::size_t i = 0; i < described->cards.size(); ++i) {
      EXPECT_EQ(profile->machine.cards[i].card.numa, described->cards[i].numa) << name << " " << i;
    }
    ASSERT_EQ(profile->machine.nics.size(), described->nics.size()) << name;
    for (std::size_t i = 0; i < described->nics.size(); ++i) {
      std::vector<std::string> words;
      for (const topology::Link& link : described->nics[i].to_cards) {
        words.push_back(topology::FormatLink(link));
      }
      EXPECT_EQ(profile->machine.nics[i].to_cards, words) << name << " " << i;
    }
  }
}

}  // namespace
}  // namespace aliquot::agent
