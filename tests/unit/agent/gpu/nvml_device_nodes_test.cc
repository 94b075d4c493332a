// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_device_nodes.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NvmlDeviceNodesTest : public NvmlTest {};

TEST_F(NvmlDeviceNodesTest, CardAndControlNodesHaveTheHostsNumbersModeAndOwner) {
  Machine(Cards(1));
  nodes_["/dev/nvidia0"] = {195, 0, 0660, 0, 44};
  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.cards[0].node, (DeviceNode{"nvidia0", 195, 0, 0660, 0, 44}));
  EXPECT_THAT(machine.control, ElementsAre(DeviceNode{"nvidiactl", 195, 255, 0666, 0, 0},
                                           DeviceNode{"nvidia-uvm", 511, 0, 0666, 0, 0}));
}

TEST_F(NvmlDeviceNodesTest, ToolsAndModesetAreGivenWhereTheHostHasThem) {
  Machine(Cards(1));
  nodes_["/dev/nvidia-uvm-tools"] = {511, 1, 0666, 0, 0};
  nodes_["/dev/nvidia-modeset"] = {195, 254, 0666, 0, 0};
  const aliquot::agent::Machine machine = Look();
  ASSERT_EQ(machine.control.size(), 4u);
  EXPECT_EQ(machine.control[2].name, "nvidia-uvm-tools");
  EXPECT_EQ(machine.control[3].name, "nvidia-modeset");
}

TEST_F(NvmlDeviceNodesTest, CapabilitiesAndTheFabricAreNeverGiven) {
  Machine(Cards(1));
  for (const char* name :
       {"nvidia-caps/nvidia-cap1", "nvidia-caps/nvidia-cap2", "nvidia-caps-imex-channels/channel0",
        "nvidia-nvswitch0", "nvidia-nvswitchctl", "nvidia-nvlink"}) {
    nodes_[std::string("/dev/") + name] = {240, 1, 0666, 0, 0};
  }
  EXPECT_EQ(Look().control.size(), 2u);
}

TEST_F(NvmlDeviceNodesTest, CardWithoutANodeIsNotOursToShare) {
  Machine(Cards(2));
  nodes_.erase("/dev/nvidia1");
  const aliquot::agent::Machine machine = Look();
  ASSERT_EQ(machine.cards.size(), 2u);
  EXPECT_EQ(machine.cards[0].card.mode, "");
  EXPECT_EQ(machine.cards[1].card.mode, "no-node");
  EXPECT_THAT(machine.notes,
              ElementsAre("GPU-1 cannot be given: /dev/nvidia1 is missing or is no character "
                          "device; run `nvidia-modprobe -c 1` on the node"));
}

TEST_F(NvmlDeviceNodesTest, WithoutUnifiedMemorysNodeNoCardIsOursToShare) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 0, ", mode: mig"}, {"GPU-b", 1, "0000:11:00.0", 0, ""}},
          "links: {default: SYS}\n", "{model: A100, mib: 40960, computeCapability: \"8.0\"}");
  nodes_.erase("/dev/nvidia-uvm");
  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.cards[0].card.mode, "mig");  // the reason that stays
  EXPECT_EQ(machine.cards[1].card.mode, "no-node");
  EXPECT_THAT(machine.notes,
              ElementsAre("/dev lacks nvidia-uvm, without which no program reaches a card; run "
                          "`nvidia-modprobe -u -c 0` on the node"));
}

TEST_F(NvmlDeviceNodesTest, NodesAreLookedForBelowTheDeviceRoot) {
  Machine(Cards(1));
  options_.device_root = "/run/nvidia/driver/dev";
  for (const char* name : {"nvidia0", "nvidiactl", "nvidia-uvm"}) {
    nodes_[options_.device_root + "/" + name] = {195, 7, 0666, 0, 0};
  }
  EXPECT_EQ(Look().cards[0].node.minor, 7u);
}

TEST(StatDeviceTest, CharacterDeviceHasItsNumbers) {
  const std::optional<DeviceStat> null = StatDevice("/dev/null");  // 1:3 on every Linux
  ASSERT_TRUE(null);
  EXPECT_EQ(null->major, 1u);
  EXPECT_EQ(null->minor, 3u);
  EXPECT_EQ(null->mode & ~07777U, 0u);
}

TEST(StatDeviceTest, OtherFilesAndLinksAreNoDevices) {
  const ScratchDirectory scratch;
  scratch.Write("file", "");
  std::filesystem::create_symlink("/dev/null", scratch.File("link"));
  EXPECT_FALSE(StatDevice(scratch.File("file")));
  EXPECT_FALSE(StatDevice(scratch.File("link")));
  EXPECT_FALSE(StatDevice(scratch.File("missing")));
}

}  // namespace
}  // namespace aliquot::agent
