// SPDX-License-Identifier: Apache-2.0
#include "agent/delivery.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/grant/store_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;

class DeliveryTest : public StoreTest {
 protected:
  void SetUp() override {
    Start();
    configuration_.gpu.driver_root = directory_ / "root";
    configuration_.grant.data_directory = directory_ / "data";
    FileSystem().MakeDirectories(directory_ / "root/usr/lib64", 0755);
  }
  // A library as the driver installs it: the head of a 64-bit ELF file of this machine.
  void Install(const std::string& version) {
    std::string elf = ReadAll("/proc/self/exe").substr(0, 64);
    WriteAll(directory_ / ("root/usr/lib64/libcuda.so." + version), elf);
    WriteAll(directory_ / ("root/usr/lib64/libnvidia-ml.so." + version), elf);
  }
  Delivery& delivery() {
    if (delivery_ == nullptr) {
      delivery_ = std::make_unique<Delivery>(configuration_, plain_, *store_, clock_);
    }
    return *delivery_;
  }

  Configuration configuration_;
  std::unique_ptr<Delivery> delivery_;
};

TEST_F(DeliveryTest, NothingToHandOverIsNoProblem) {
  configuration_.driver_delivery = "none";
  const DriverDelivery made = delivery().For("535.1", "");
  EXPECT_EQ(made.way, DriverDelivery::Way::kNone);
  EXPECT_TRUE(made.usable());
}

TEST_F(DeliveryTest, LibrariesThatAreMissingAreNamedAndTakenOnceTheyAreThere) {
  EXPECT_THAT(delivery().For("535.1.2", "").sentence, HasSubstr(directory_ / "root"));
  Install("535.1.2");
  EXPECT_FALSE(delivery().For("535.1.2", "").usable()) << "each tick asks: not each looks";
  clock_.Advance(Delivery::kRetry);
  const DriverDelivery made = delivery().For("535.1.2", "");
  EXPECT_TRUE(made.usable()) << made.sentence;
  EXPECT_EQ(made.version, "535.1.2");
  EXPECT_TRUE(Exists(made.directory + "/lib64/libcuda.so.535.1.2"));
}

TEST_F(DeliveryTest, WhatIsReadyIsNotMadeAgain) {
  Install("535.1.2");
  const std::string directory = delivery().For("535.1.2", "").directory;
  FileSystem().RemoveTree(directory_ / "root");
  EXPECT_TRUE(delivery().For("535.1.2", "").usable());
  EXPECT_EQ(delivery().For("535.1.2", "").directory, directory);
}

TEST_F(DeliveryTest, AnotherDriverIsMirroredAndTheOldOneGoesWhenNoGrantNamesIt) {
  Install("535.1.2");
  const std::string old = delivery().For("535.1.2", "").directory;
  Install("550.3.4");
  const DriverDelivery made = delivery().For("550.3.4", "");
  EXPECT_EQ(made.version, "550.3.4");
  EXPECT_FALSE(Exists(old));
}

TEST_F(DeliveryTest, TheLibrariesOfARunningContainerStay) {
  Install("535.1.2");
  facts_.machine.driver = "535.1.2";
  GrantPlan plan = Plan(Ids(0, 20), "u1");
  plan.driver = delivery().For("535.1.2", "");
  plan.record.driver = plan.driver.directory;
  Written(plan);
  Install("550.3.4");
  EXPECT_TRUE(delivery().For("550.3.4", "").usable());
  EXPECT_TRUE(Exists(plan.driver.directory + "/lib64/libcuda.so.535.1.2"));
}

// Such a runtime starts a container without its card and says nothing.
TEST_F(DeliveryTest, GrantsByCdiNeedARuntimeThatTakesThem) {
  configuration_.driver_delivery = "none";
  configuration_.grant.mode = "cdi";
  EXPECT_TRUE(delivery().For("535.1", "containerd://2.1.0").usable());
  EXPECT_THAT(delivery().For("535.1", "containerd://1.7.22").sentence,
              HasSubstr("set grant.mode to devdir"));
  EXPECT_TRUE(delivery().For("535.1", "containerd://2.1.0").usable()) << "it was replaced";
}

TEST_F(DeliveryTest, ARuntimeThatIsNotToldIsTheLastOneThatWas) {
  configuration_.driver_delivery = "none";
  configuration_.grant.mode = "cdi";
  EXPECT_TRUE(delivery().For("535.1", "").usable()) << "none was";
  EXPECT_FALSE(delivery().For("535.1", "containerd://1.7.22").usable());
  EXPECT_FALSE(delivery().For("535.1", "").usable()) << "it is down, and still that one";
  EXPECT_TRUE(delivery().For("535.1", "containerd://2.1.0").usable());
  EXPECT_TRUE(delivery().For("535.2", "").usable());
}

}  // namespace
}  // namespace aliquot::agent
