// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_pci.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/gpu/fake_sysfs.h"
#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

PciPlace At(std::vector<std::string> path, int numa = 0) { return {std::move(path), numa}; }

TEST(SysfsPciTest, PlaceIsThePathFromTheHostBridgeDown) {
  const ScratchDirectory scratch;
  FakeSysfs sysfs(scratch.File("sys"));
  sysfs.AddDevice("pci0000:3a/0000:3a:00.0/0000:3b:00.0", 1);

  const auto place = ReadPciPlace(sysfs.root(), "0000:3b:00.0");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path, (std::vector<std::string>{"pci0000:3a", "0000:3a:00.0", "0000:3b:00.0"}));
  EXPECT_EQ(place->numa, 1);
}

TEST(SysfsPciTest, HostBridgeBelowAPlatformDeviceIsFound) {
  const ScratchDirectory scratch;
  FakeSysfs sysfs(scratch.File("sys"));
  sysfs.AddDevice("platform/soc/pci0009:00/0009:00:00.0/0009:01:00.0", 0);

  const auto place = ReadPciPlace(sysfs.root(), "0009:01:00.0");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->path.front(), "pci0009:00");
}

TEST(SysfsPciTest, DeviceThatSysfsLacksHasNoPlace) {
  const ScratchDirectory scratch;
  const FakeSysfs sysfs(scratch.File("sys"));
  EXPECT_FALSE(ReadPciPlace(sysfs.root(), "0000:3b:00.0"));
}

TEST(SysfsPciTest, UnknownNumaNodeIsMinusOne) {
  const ScratchDirectory scratch;
  FakeSysfs sysfs(scratch.File("sys"));
  sysfs.AddDevice("pci0000:3a/0000:3b:00.0", -1);
  EXPECT_EQ(ReadPciPlace(sysfs.root(), "0000:3b:00.0")->numa, -1);
}

TEST(SysfsPciTest, TwoPortsOfOneSwitchArePix) {
  // 3b:00.0 is the switch's upper port, 3c:08.0 and 3c:10.0 are two of its lower ones.
  EXPECT_EQ(PciLinkClass(At({"pci0000:3a", "3a:00.0", "3b:00.0", "3c:08.0", "3d:00.0"}),
                         At({"pci0000:3a", "3a:00.0", "3b:00.0", "3c:10.0", "3e:00.0"})),
            "PIX");
}

TEST(SysfsPciTest, TwoFunctionsBelowOneBridgeArePix) {
  EXPECT_EQ(PciLinkClass(At({"pci0000:3a", "3a:00.0", "3b:00.0"}),
                         At({"pci0000:3a", "3a:00.0", "3b:00.1"})),
            "PIX");
}

TEST(SysfsPciTest, SwitchesBelowACommonSwitchArePxb) {
  EXPECT_EQ(
      PciLinkClass(
          At({"pci0000:3a", "3a:00.0", "3b:00.0", "3c:08.0", "3d:00.0", "3e:00.0", "3f:00.0"}),
          At({"pci0000:3a", "3a:00.0", "3b:00.0", "3c:10.0", "40:00.0", "41:00.0", "42:00.0"})),
      "PXB");
}

TEST(SysfsPciTest, OnlyTheHostBridgeInCommonIsPhb) {
  EXPECT_EQ(PciLinkClass(At({"pci0000:3a", "3a:00.0", "3b:00.0"}),
                         At({"pci0000:3a", "3a:01.0", "3c:00.0"})),
            "PHB");
}

TEST(SysfsPciTest, TwoHostBridgesAreNodeWithinANumaNodeAndSysAcross) {
  const PciPlace a = At({"pci0000:3a", "3a:00.0", "3b:00.0"}, 0);
  EXPECT_EQ(PciLinkClass(a, At({"pci0000:5d", "5d:00.0", "5e:00.0"}, 0)), "NODE");
  EXPECT_EQ(PciLinkClass(a, At({"pci0000:ae", "ae:00.0", "af:00.0"}, 1)), "SYS");
}

TEST(SysfsPciTest, TwoUnknownNumaNodesAreNotOneNode) {
  EXPECT_EQ(PciLinkClass(At({"pci0000:3a", "3b:00.0"}, -1), At({"pci0000:5d", "5e:00.0"}, -1)),
            "SYS");
}

TEST(SysfsPciTest, NvmlsSpellingBecomesThatOfSysfs) {
  EXPECT_EQ(SysfsPciName("00000000:3B:00.0"), "0000:3b:00.0");
  EXPECT_EQ(SysfsPciName("0000:3b:1f.7"), "0000:3b:1f.7");
  EXPECT_EQ(SysfsPciName("00010000:01:00.0"), "10000:01:00.0");  // a domain past 16 bits (VMD)
}

TEST(SysfsPciTest, OtherTextIsNoPciName) {
  for (const char* text : {"", "3b:00.0", "0000:3b:00", "0000:3g:00.0", "0000:3b:00.0.1",
                           "000000000:3b:00.0", "0000:+b:00.0"}) {
    EXPECT_FALSE(SysfsPciName(text)) << text;
  }
}

}  // namespace
}  // namespace aliquot::agent
