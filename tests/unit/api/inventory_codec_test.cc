// SPDX-License-Identifier: Apache-2.0
#include "api/inventory_codec.h"

#include <gtest/gtest.h>

namespace aliquot::api {
namespace {

// Two cards and what is between them, with one part replaced by each test.
std::string Inventory(const std::string& cards, const std::string& links = "NV4",
                      const std::string& rest = "") {
  return R"({"v":1,"driver":"550.54","models":["A100","H100"],"cards":[)" + cards +
         R"(],"links":")" + links + "\"" + rest + "}";
}
constexpr char kFirst[] = R"(["GPU-a",0,0,81920,"0000:01:00.0",0,"8.0","ok",""])";
constexpr char kSecond[] = R"(["GPU-b",1,1,81559,"0000:02:00.0",-1,"9.0","xid","mig"])";

std::string Both() { return std::string(kFirst) + "," + kSecond; }

std::string Refusal(const std::string& json) { return ParseInventory(json).status().message(); }

TEST(ParseInventory, ReadsCardsAndLinks) {
  const auto inventory = ParseInventory(Inventory(Both()));
  ASSERT_TRUE(inventory.ok()) << inventory.status().ToString();
  EXPECT_EQ(inventory->driver, "550.54");
  ASSERT_EQ(inventory->cards.size(), 2u);
  const model::Card& card = inventory->cards[1];
  EXPECT_EQ(card.uuid, "GPU-b");
  EXPECT_EQ(card.minor, 1);
  EXPECT_EQ(card.model, "H100");
  EXPECT_EQ(card.mib, 81559);
  EXPECT_EQ(card.pci, "0000:02:00.0");
  EXPECT_EQ(card.numa, -1);
  EXPECT_EQ(card.compute_capability, "9.0");
  EXPECT_FALSE(card.healthy());
  EXPECT_FALSE(card.shareable());
  EXPECT_TRUE(inventory->cards[0].usable());
  EXPECT_EQ(inventory->links, std::vector<std::string>{"NV4"});
  EXPECT_FALSE(inventory->leaving);
  EXPECT_FALSE(inventory->shape.empty());
}

TEST(ParseInventory, LaterKeysAndElementsAreIgnoredAndOnlyLeavingCounts) {
  const auto inventory = ParseInventory(Inventory(
      R"(["GPU-a",0,0,81920,"0000:01:00.0",0,"8.0","ok","",{"more":1}])", "",
      R"(,"nics":[["mlx5_0","0000:03:00.0",0,"PIX","more"]],"state":"leaving","later":[])"));
  ASSERT_TRUE(inventory.ok()) << inventory.status().ToString();
  EXPECT_TRUE(inventory->leaving);
  EXPECT_FALSE(ParseInventory(Inventory(kFirst, "", R"(,"state":"other")"))->leaving);
}

TEST(ParseInventory, UnknownLinksAndNoCardsAreFine) {
  EXPECT_TRUE(ParseInventory(Inventory(Both(), ""))->links.empty());
  EXPECT_TRUE(ParseInventory(Inventory("", ""))->cards.empty());
}

TEST(ParseInventory, ReadsNicsAndMeasuredFigures) {
  const auto inventory = ParseInventory(
      Inventory(Both(), "NV4", R"(,"nics":[["mlx5_0","0000:03:00.0",1,"PIX,SYS"]],"gbps":"96")"));
  ASSERT_TRUE(inventory.ok()) << inventory.status().ToString();
  ASSERT_EQ(inventory->nics.size(), 1u);
  EXPECT_EQ(inventory->nics[0].name, "mlx5_0");
  EXPECT_EQ(inventory->nics[0].pci, "0000:03:00.0");
  EXPECT_EQ(inventory->nics[0].numa, 1);
  EXPECT_EQ(inventory->nics[0].to_cards, (std::vector<std::string>{"PIX", "SYS"}));
  EXPECT_EQ(inventory->gbps, std::vector<int>{96});
  const auto without = ParseInventory(Inventory(Both(), "NV4", R"(,"nics":[],"gbps":"")"));
  EXPECT_TRUE(without->nics.empty());
  EXPECT_TRUE(without->gbps.empty());
  EXPECT_NE(inventory->shape, without->shape);
}

TEST(ParseInventory, RefusesBadNics) {
  const auto nic = [](const std::string& elements) {
    return Refusal(Inventory(Both(), "", R"(,"nics":[[)" + elements + "]]"));
  };
  EXPECT_EQ(nic(R"("mlx5_0","",0)"),
            "the inventory: nics[0] has 3 elements; give name, PCI id, NUMA node and the classes "
            "to each card");
  EXPECT_EQ(nic(R"("mlx5_0","",0,"PIX")"),
            "the inventory: nics[0][3] has 1 classes for 2 cards; give one for each card");
  EXPECT_EQ(nic(R"("mlx5_0","",0,"PIX,p x")"),
            "the inventory: nics[0][3] holds the class \"p x\"; use NVIDIA's words: NV1 and up, "
            "C2C, PIX, PXB, PHB, NODE, SYS");
  EXPECT_EQ(nic(R"("","",0,"PIX,PIX")"),
            "the inventory: nics[0][0] has 0 bytes; give a name of 1 to 64, such as mlx5_0");
  EXPECT_EQ(nic(R"("mlx5_0","",-2,"PIX,PIX")"), "the inventory: nics[0][2] is -2; use -1 to 4095");
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many += (i == 0 ? "" : ",") + std::string(R"(["n","",0,"PIX,PIX"])");
  }
  EXPECT_EQ(Refusal(Inventory(Both(), "", R"(,"nics":[)" + many + "]")),
            "the inventory: nics lists more than 64 NICs; publish at most that many");
}

TEST(ParseInventory, RefusesBadMeasuredFigures) {
  const auto gbps = [](const std::string& text) {
    return Refusal(Inventory(Both(), "", R"(,"gbps":")" + text + "\""));
  };
  EXPECT_EQ(gbps("1,2"),
            "the inventory: gbps has 2 figures for 2 cards; give 1, the upper triangle row by row, "
            "or none");
  for (const char* figure : {"-5", "52.4", "10001", "fast", " 5"}) {
    EXPECT_EQ(gbps(figure), "the inventory: gbps holds the figure \"" + std::string(figure) +
                                "\"; give whole GB/s one way, 0 to 10000, 0 for a pair that was "
                                "not measured");
  }
}

TEST(ParseInventory, RefusalsNameFieldValueAndRemedy) {
  EXPECT_EQ(Refusal(R"({"driver":"x","cards":[]})"),
            "the inventory: v is missing; this version reads 1, so upgrade the allocator or the "
            "node's agent");
  EXPECT_EQ(Refusal(R"({"v":1})"),
            "the inventory: cards is missing; list the node's cards, [] for none");
  EXPECT_EQ(Refusal(Inventory(std::string(kFirst) + R"(,["GPU-a",1,0,1,"",0,"","ok",""])")),
            "the inventory: cards[1][0] is GPU-a, which an earlier card has; give each card its "
            "own UUID");
  EXPECT_EQ(Refusal(Inventory(std::string(kFirst) + R"(,["GPU-b",0,0,1,"",0,"","ok",""])")),
            "the inventory: cards[1][1] is 0, which an earlier card has; give each card its own "
            "minor number");
  EXPECT_EQ(Refusal(Inventory(R"(["GPU-a",0,0,-1,"",0,"","ok",""])", "")),
            "the inventory: cards[0][3] is -1; use 0 to 4294967296");
  EXPECT_EQ(Refusal(Inventory(R"(["GPU-a",0,2,1,"",0,"","ok",""])", "")),
            "the inventory: cards[0][2] is 2; use 0 to 1");
  EXPECT_EQ(Refusal(Inventory(R"(["GPU-a",0,0])", "")),
            "the inventory: cards[0] has 3 elements; give uuid, minor, model, MiB, PCI id, NUMA "
            "node, compute "
            "capability, health and mode");
  EXPECT_EQ(Refusal(Inventory(R"(["a b",0,0,1,"",0,"","ok",""])", "")),
            "the inventory: cards[0][0] is \"a b\"; give the card's UUID as NVML writes it");
  EXPECT_EQ(Refusal(Inventory(Both(), "NV4,SYS")),
            "the inventory: links has 2 classes for 2 cards; give 1, the upper triangle row by "
            "row, or none");
  EXPECT_EQ(Refusal(Inventory(Both(), "nvlink")),
            "the inventory: links holds the class \"nvlink\"; use NVIDIA's words: NV1 and up, C2C, "
            "PIX, PXB, PHB, "
            "NODE, SYS");
  EXPECT_EQ(Refusal(Inventory(kFirst, "NV4")),
            "the inventory: links has 1 classes for 1 cards; give 0, the upper triangle row by "
            "row, or none");
}

TEST(ParseInventory, SixtyFourCardsAreTheMost) {
  const auto many = [](int count) {
    std::string cards;
    for (int i = 0; i < count; ++i) {
      cards += (i == 0 ? "" : ",") + std::string(R"(["GPU-)") + std::to_string(i) + "\"," +
               std::to_string(i) + R"(,0,1,"",0,"","ok",""])";
    }
    return Inventory(cards, "");
  };
  EXPECT_EQ(ParseInventory(many(64))->cards.size(), 64u);
  EXPECT_EQ(Refusal(many(65)),
            "the inventory: cards lists more than 64 cards; publish at most that many");
}

TEST(FormatInventory, WhatIsWrittenReadsBackTheSame) {
  for (
      const std::string& json :
      {Inventory(Both()), Inventory(Both(), "", R"(,"state":"leaving")"),
       Inventory(Both(), "NV4",
                 R"(,"nics":[["mlx5_0","0000:03:00.0",-1,"PIX,SYS"],["e","",0,"SYS,SYS"]],)"
                 R"("gbps":"0","state":"leaving")"),
       std::string(
           R"({"v":1,"driver":"x","models":["NVIDIA \"A\" é"],"cards":[["GPU-a",3,0,1,"",0,"","ok",""]],"links":""})")}) {
    const auto inventory = ParseInventory(json);
    ASSERT_TRUE(inventory.ok()) << json;
    EXPECT_EQ(FormatInventory(*inventory), json);
  }
}

model::Inventory EightCards() {
  model::Inventory inventory;
  inventory.driver = "550.54.15";
  for (int i = 0; i < 8; ++i) {
    model::Card card;
    card.uuid = "GPU-8f2a7b1c-3d4e-5f60-7182-93a4b5c6d7e" + std::to_string(i);
    card.minor = i;
    card.model = "NVIDIA H100 80GB HBM3";
    card.mib = 81559;
    card.pci = "0000:1" + std::to_string(i) + ":00.0";
    card.numa = i / 4;
    card.compute_capability = "9.0";
    card.health = "ok";
    inventory.cards.push_back(card);
  }
  inventory.links.assign(28, "NV18");
  return inventory;
}

TEST(FormatInventory, EightCardsStayWithinAKilobyte) {
  const std::string text = FormatInventory(EightCards());
  EXPECT_LE(text.size(), 1024u);
  EXPECT_TRUE(ParseInventory(text).ok());
}

TEST(FormatInventory, TwelveNicsAndMeasuredFiguresStayWithinThreeKilobytes) {
  model::Inventory inventory = EightCards();
  inventory.gbps.assign(28, 450);
  for (int i = 0; i < 12; ++i) {
    inventory.nics.push_back({"mlx5_bond_" + std::to_string(i),
                              "0000:a" + std::to_string(i % 10) + ":00.0", i / 6,
                              std::vector<std::string>(8, "NODE")});
  }
  const std::string text = FormatInventory(inventory);
  EXPECT_LE(text.size(), 3072u);
  EXPECT_TRUE(ParseInventory(text).ok());
}

}  // namespace
}  // namespace aliquot::api
