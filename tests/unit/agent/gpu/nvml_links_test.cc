// SPDX-License-Identifier: Apache-2.0
// The triangle of links, as NVML tells it link by link.
#include "agent/gpu/nvml_links.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;

class NvmlLinksTest : public NvmlTest {
 protected:
  // A profile that the agent ships; device nodes as it names them.
  aliquot::agent::MachineProfile Shipped(const std::string& name) {
    setenv("ALIQUOT_SIMGPU_PROFILE", ShippedProfile(name).c_str(), 1);
    Result<MachineProfile> profile = LoadMachineProfile(ShippedProfile(name));
    EXPECT_TRUE(profile.ok());
    return profile.ok() ? *profile : MachineProfile();
  }
};

TEST_F(NvmlLinksTest, EverySwitchedPairHasAllLinks) {
  Shipped("h100x8");
  EXPECT_EQ(Look().links, std::vector<std::string>(28, "NV18"));
}

TEST_F(NvmlLinksTest, OlderCardsTellTheStateOfALinkByTheOlderCall) {
  Shipped("a100x8");
  EXPECT_EQ(Look().links, std::vector<std::string>(28, "NV12"));
}

TEST_F(NvmlLinksTest, DirectLinksOfAHybridMeshAreCountedPairByPair) {
  // DGX-1V; 2x means two links. Rows: (0,1)..(0,7), (1,2)..(1,7), and so on.
  Shipped("dgx1v");
  EXPECT_THAT(Look().links, ElementsAre("NV1", "NV1", "NV2", "NV2", "SYS", "SYS", "SYS",  //
                                        "NV2", "NV1", "SYS", "NV2", "SYS", "SYS",         //
                                        "NV2", "SYS", "SYS", "NV1", "SYS",                //
                                        "SYS", "SYS", "SYS", "NV1",                       //
                                        "NV1", "NV1", "NV2",                              //
                                        "NV2", "NV1",                                     //
                                        "NV2"));
}

TEST_F(NvmlLinksTest, EveryShippedProfileComesOutAsItWentIn) {
  for (const char* name :
       {"a100x8", "a100x8-nics", "b200x8", "dgx1v", "h100pcie8", "h100x8", "h200x8", "t4x4"}) {
    const MachineProfile profile = Shipped(name);
    Result<aliquot::agent::Machine> machine = MakeNvmlBackend(options_)->Look();
    ASSERT_TRUE(machine.ok()) << name << ": " << machine.status().message();
    EXPECT_EQ(machine->links, profile.machine.links) << name;
    EXPECT_EQ(machine->driver, profile.machine.driver) << name;
    ASSERT_EQ(machine->cards.size(), profile.machine.cards.size()) << name;
    for (std::size_t i = 0; i < machine->cards.size(); ++i) {
      EXPECT_EQ(machine->cards[i].card.uuid, profile.machine.cards[i].card.uuid) << name;
      EXPECT_EQ(machine->cards[i].card.mib, profile.machine.cards[i].card.mib) << name;
      EXPECT_EQ(machine->cards[i].card.pci, profile.machine.cards[i].card.pci) << name;
    }
  }
}

TEST_F(NvmlLinksTest, SwitchedPairHasAsManyLinksAsTheCardWithFewer) {
  Shipped("h100x8");
  // Four links of card 2 do not answer: 18 - 4 = 14 for each of its pairs.
  Faults("{function: nvmlDeviceGetNvLinkState, card: 2, error: 999, times: 4}");
  const aliquot::agent::Machine machine = Look();
  int fewer = 0;
  for (const std::string& link : machine.links) {
    fewer += link == "NV14" ? 1 : 0;
  }
  EXPECT_EQ(fewer, 7);
  EXPECT_EQ(machine.links[0], "NV18");
  EXPECT_EQ(machine.links[1], "NV14");  // (0,2)
}

TEST_F(NvmlLinksTest, LinksAreReadAgainAtTheTenthLook) {
  Machine(Cards(2), "links: {triangle: \"NV4\"}\n",
          "{model: A40, mib: 46068, computeCapability: \"8.6\"}");
  EXPECT_THAT(Look().links, ElementsAre("NV4"));
  Faults("{function: nvmlDeviceGetNvLinkState, error: 999}");
  for (int look = 1; look < 10; ++look) {
    EXPECT_THAT(Look().links, ElementsAre("NV4")) << look;
  }
  EXPECT_THAT(Look().links, ElementsAre("NODE"));
}

TEST_F(NvmlLinksTest, LinksAreReadAgainWhenTheCardsAreOthers) {
  Machine(Cards(3), "links: {triangle: \"NV4,PIX,SYS\"}\n",
          "{model: A40, mib: 46068, computeCapability: \"8.6\"}");
  EXPECT_THAT(Look().links, ElementsAre("NV4", "PIX", "SYS"));
  State("cards: [{uuid: GPU-0, lost: true}]\n");
  EXPECT_THAT(Look().links, ElementsAre("SYS"));  // 1-2
}

TEST_F(NvmlLinksTest, LinkThatOneEndCallsDownDoesNotCount) {
  Machine(Cards(2), "links: {triangle: \"NV4\"}\n",
          "{model: A40, mib: 46068, computeCapability: \"8.6\"}");
  Faults("{function: nvmlDeviceGetNvLinkState, card: 1, error: 999, times: 1}");
  EXPECT_THAT(Look().links, ElementsAre("NV3"));
}

TEST_F(NvmlLinksTest, FarEndThatIsNotSeenIsASwitch) {
  // As in a virtual machine: the remote address and type are withheld.
  Shipped("h100x8");
  Faults(
      "{function: nvmlDeviceGetNvLinkRemotePciInfo_v2, error: 3}, "
      "{function: nvmlDeviceGetNvLinkRemoteDeviceType, error: 3}");
  EXPECT_EQ(Look().links, std::vector<std::string>(28, "NV18"));
}

TEST_F(NvmlLinksTest, SwitchIsKnownByItsPciClassWhereItsTypeIsWithheld) {
  Shipped("h100x8");
  sysfs_.AddDevice("pci0000:fd/0000:fe:00.0", 0);  // where the simulated switch is
  sysfs_.SetClass("0000:fe:00.0", "0x068000", "0x10de");
  Faults("{function: nvmlDeviceGetNvLinkRemoteDeviceType, error: 3}");
  EXPECT_EQ(Look().links, std::vector<std::string>(28, "NV18"));
}

TEST_F(NvmlLinksTest, PairLinkedChipToChipWithinANodeIsC2c) {
  Machine(Cards(2), "links: {triangle: \"C2C\"}\n",
          "{model: GH200, mib: 97871, computeCapability: \"9.0\"}");
  sysfs_.AddNode(0, "0-63");
  EXPECT_THAT(Look().links, ElementsAre("C2C"));
}

TEST_F(NvmlLinksTest, AncestorsHaveNvidiasWords) {
  Machine(Cards(4), "links: {triangle: \"PIX,PXB,PHB,NODE,SYS,SYS\"}\n");
  EXPECT_THAT(Look().links, ElementsAre("PIX", "PXB", "PHB", "NODE", "SYS", "SYS"));
}

TEST_F(NvmlLinksTest, SysfsTellsThePathWhereNvmlDoesNot) {
  Machine(Cards(3));
  sysfs_.AddDevice("pci0000:0f/0f:00.0/0000:10:00.0", 0);
  sysfs_.AddDevice("pci0000:0f/0f:01.0/0000:11:00.0", 0);
  Faults("{function: nvmlDeviceGetTopologyCommonAncestor, error: 3}");
  // 0-1 share the host bridge; sysfs does not know card 2.
  EXPECT_THAT(Look().links, ElementsAre("PHB", "SYS", "SYS"));
}

}  // namespace
}  // namespace aliquot::agent
