// SPDX-License-Identifier: Apache-2.0
// Libraries that are missing, broken, too old, or old and still good enough.
#include "agent/gpu/nvml_library.h"

#include <gmock/gmock.h>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NvmlLibraryTest : public NvmlTest {};

TEST_F(NvmlLibraryTest, NodeWithoutTheLibraryHasNoDriver) {
  options_.library = "/nonexistent/libnvidia-ml.so.1";
  const Status error = backend().Look().status();
  EXPECT_EQ(error.code(), StatusCode::kUnavailable);
  EXPECT_EQ(error.message(),
            "no NVIDIA driver: libnvidia-ml.so.1 is not found (/nonexistent/libnvidia-ml.so.1); "
            "install the driver, or name its root in gpu.driverRoot");
}

TEST_F(NvmlLibraryTest, LibraryIsLookedForBelowTheDriversRoot) {
  options_.library = "";
  options_.driver_root = scratch_.File("driver") + "/";
  EXPECT_EQ(backend().Look().status().code(), StatusCode::kUnavailable);

  Machine(Cards(1));
  std::filesystem::create_directories(scratch_.File("driver/usr/lib/x86_64-linux-gnu"));
  std::filesystem::create_symlink(
      ALIQUOT_SIMGPU_NVML, scratch_.File("driver/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1"));
  EXPECT_THAT(Uuids(Look()), ElementsAre("GPU-0"));
}

TEST_F(NvmlLibraryTest, HostsOwnRootLeavesTheSearchToTheLoader) {
  EXPECT_THAT(NvmlPaths("/"), ElementsAre("libnvidia-ml.so.1"));
  EXPECT_THAT(NvmlPaths(""), ElementsAre("libnvidia-ml.so.1"));
}

TEST_F(NvmlLibraryTest, FileThatIsNoLibraryIsNamedWithTheLoadersReason) {
  scratch_.Write("libnvidia-ml.so.1", "not a library");
  options_.library = scratch_.File("libnvidia-ml.so.1");
  const Status error = backend().Look().status();
  EXPECT_EQ(error.code(), StatusCode::kUnavailable);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("cannot be loaded: "), HasSubstr(options_.library),
                                     HasSubstr("; install the NVIDIA driver's libraries anew")));
}

TEST_F(NvmlLibraryTest, TooOldALibraryIsRefusedWithWhatItLacks) {
  options_.library = ALIQUOT_SIMGPU_NVML_TOO_OLD;
  const Status error = backend().Look().status();
  EXPECT_EQ(error.code(), StatusCode::kUnavailable);
  EXPECT_EQ(error.message(), "the driver's " ALIQUOT_SIMGPU_NVML_TOO_OLD
                             " is too old, it lacks nvmlDeviceGetUUID, nvmlDeviceGetMinorNumber; "
                             "install an NVIDIA driver of branch 450 or newer");
}

TEST_F(NvmlLibraryTest, OldLibraryServesByItsOlderNames) {
  options_.library = ALIQUOT_SIMGPU_NVML_BARE;
  nodes_["/dev/nvidia0"] = {195, 0, 0666, 0, 0};
  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.driver, "390.157");
  ASSERT_EQ(machine.cards.size(), 1u);
  EXPECT_EQ(machine.cards[0].card.pci, "0000:84:00.0");
  EXPECT_EQ(machine.cards[0].card.mib, 11441);
  EXPECT_EQ(machine.cards[0].card.compute_capability, "");
  EXPECT_EQ(machine.cards[0].card.mode, "");
  EXPECT_THAT(machine.notes, Contains("this driver tells no events, so an XID error is not seen; "
                                      "install a newer NVIDIA driver"));
}

TEST_F(NvmlLibraryTest, WhatAnOldLibraryLacksIsLeftOutOfTheFigures) {
  options_.library = ALIQUOT_SIMGPU_NVML_BARE;
  const std::string uuid = Look().cards.at(0).card.uuid;
  const Result<CardFigures> figures = backend().Figures(uuid);
  ASSERT_TRUE(figures.ok());
  EXPECT_EQ(figures->mib_used, 100);
  EXPECT_EQ(figures->gpu_percent, std::nullopt);
  EXPECT_EQ(figures->power_milliwatts, std::nullopt);
  EXPECT_THAT(figures->processes, IsEmpty());
  const auto checks = backend().CheckCards();
  ASSERT_TRUE(checks.ok());
  EXPECT_TRUE(checks->at(0).present);
  EXPECT_TRUE(backend().WaitForEvents(std::chrono::milliseconds(1)).ok());
}

}  // namespace
}  // namespace aliquot::agent
