// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_nics.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/gpu/fake_sysfs.h"
#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

class SysfsNicsTest : public ::testing::Test {
 protected:
  const ScratchDirectory scratch_;
  FakeSysfs sysfs_{scratch_.File("sys")};
};

TEST_F(SysfsNicsTest, NicHasItsAddressNodeAndClassToEachCard) {
  sysfs_.AddDevice("pci0000:3a/3a:00.0/3b:00.0/3c:08.0/0000:3d:00.0", 0);
  sysfs_.AddDevice("pci0000:3a/3a:00.0/3b:00.0/3c:10.0/0000:3e:00.0", 0);  // the NIC: same switch
  sysfs_.AddDevice("pci0000:ae/ae:00.0/0000:af:00.0", 1);
  sysfs_.AddNic("mlx5_0", "0000:3e:00.0");

  const auto nics = ReadNics(sysfs_.root(), {ReadPciPlace(sysfs_.root(), "0000:3d:00.0"),
                                             ReadPciPlace(sysfs_.root(), "0000:af:00.0")});
  ASSERT_EQ(nics.size(), 1u);
  EXPECT_EQ(nics[0].name, "mlx5_0");
  EXPECT_EQ(nics[0].pci, "0000:3e:00.0");
  EXPECT_EQ(nics[0].numa, 0);
  EXPECT_EQ(nics[0].to_cards, (std::vector<std::string>{"PIX", "SYS"}));
}

TEST_F(SysfsNicsTest, CardThatSysfsDoesNotKnowIsSys) {
  sysfs_.AddDevice("pci0000:3a/0000:3e:00.0", 0);
  sysfs_.AddNic("mlx5_0", "0000:3e:00.0");
  EXPECT_EQ(ReadNics(sysfs_.root(), {std::nullopt})[0].to_cards, std::vector<std::string>{"SYS"});
}

TEST_F(SysfsNicsTest, NicsComeInTheOrderOfTheirNumbers) {
  sysfs_.AddDevice("pci0000:3a/0000:3e:00.0", 0);
  for (const char* name : {"mlx5_10", "mlx5_2"}) {
    sysfs_.AddNic(name, "0000:3e:00.0");
  }
  const auto nics = ReadNics(sysfs_.root(), {});
  ASSERT_EQ(nics.size(), 2u);
  EXPECT_EQ(nics[0].name, "mlx5_2");
  EXPECT_EQ(nics[1].name, "mlx5_10");
}

TEST_F(SysfsNicsTest, NicWithoutAPciDeviceIsLeftOut) {
  std::filesystem::create_directories(sysfs_.root() + "/class/infiniband/rxe0");
  EXPECT_TRUE(ReadNics(sysfs_.root(), {}).empty());
}

TEST_F(SysfsNicsTest, NodeWithoutRdmaHasNone) { EXPECT_TRUE(ReadNics(sysfs_.root(), {}).empty()); }

}  // namespace
}  // namespace aliquot::agent
