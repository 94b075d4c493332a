// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/cdi_spec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

using nlohmann::json;

class CdiSpecTest : public testing::Test {
 protected:
  CdiSpecTest() {
    options_.mode = GrantMode::kCdi;
    options_.driver = DriverDelivery::Way::kNone;
    plan_ = *DecideGrant({"c0", "c1"}, Share("u-1", "GPU-3", 2, 1024), facts_());
  }
  json Edits() {
    const json spec = json::parse(FormatCdiSpec(plan_, options_));
    return spec.at("devices").at(0).at("containerEdits");
  }

  FactsOf facts_;
  EditOptions options_;
  GrantPlan plan_;
  const std::string grant_ = "/run/aliquot/grants/g0547201a83ca699d429ef379385cdce8";
};

TEST_F(CdiSpecTest, NamesKindDeviceAndVersion) {
  const json spec = json::parse(FormatCdiSpec(plan_, options_));
  EXPECT_EQ(spec.at("cdiVersion"), "0.6.0");
  EXPECT_EQ(spec.at("kind"), "aliquot.io/grant");
  ASSERT_EQ(spec.at("devices").size(), 1u);
  EXPECT_EQ(spec.at("devices").at(0).at("name"), "g0547201a83ca699d429ef379385cdce8");
}

TEST_F(CdiSpecTest, ANodeHasTheHostsNameNumberModeAndOwner) {
  plan_.nodes[0].gid = 44;
  EXPECT_EQ(Edits().at("deviceNodes").at(0), json({{"path", "/dev/nvidia3"},
                                                   {"hostPath", grant_ + "/dev/nvidia3"},
                                                   {"type", "c"},
                                                   {"major", 195},
                                                   {"minor", 3},
                                                   {"fileMode", 0666},
                                                   {"uid", 0},
                                                   {"gid", 44},
                                                   {"permissions", "rw"}}));
  EXPECT_EQ(Edits().at("deviceNodes").size(), 3u);
}

TEST_F(CdiSpecTest, MountsAreThoseOfTheOtherMode) {
  EXPECT_EQ(Edits().at("mounts").at(0),
            json({{"hostPath", grant_ + "/limits"},
                  {"containerPath", "/run/aliquot/limits"},
                  {"options", {"ro", "nosuid", "nodev", "rbind", "rprivate"}}}));
  EXPECT_EQ(Edits().at("mounts").at(1).at("options").at(0), "rw");
  EXPECT_EQ(Edits().at("mounts").size(), 2u);
  EXPECT_EQ(Edits().at("env"), json({"NVIDIA_VISIBLE_DEVICES=void"}));
  EXPECT_EQ(Edits().count("hooks"), 0u);
}

TEST_F(CdiSpecTest, TheVendorsEditsAreMergedAndItsChoiceOfCardsIsNot) {
  VendorEdits vendor;
  vendor.environment = {"NVIDIA_VISIBLE_DEVICES=all", "NVIDIA_CTK_LIBCUDA_DIR=/usr/lib64"};
  vendor.mounts = {
      {"/usr/lib64/libcuda.so.535.104.05", "/usr/lib64/libcuda.so.535.104.05", {"ro", "bind"}}};
  vendor.hooks = {
      {"createContainer", "/usr/bin/nvidia-cdi-hook", {"nvidia-cdi-hook", "update-ldcache"}, {}}};
  options_.driver = DriverDelivery::Way::kCdi;
  plan_.driver.way = DriverDelivery::Way::kCdi;
  plan_.driver.vendor = std::make_shared<const VendorEdits>(vendor);
  const json edits = Edits();
  EXPECT_EQ(edits.at("env"),
            json({"NVIDIA_VISIBLE_DEVICES=void", "NVIDIA_CTK_LIBCUDA_DIR=/usr/lib64"}));
  EXPECT_EQ(edits.at("mounts").back().at("containerPath"), "/usr/lib64/libcuda.so.535.104.05");
  EXPECT_EQ(edits.at("hooks").at(0), json({{"hookName", "createContainer"},
                                           {"path", "/usr/bin/nvidia-cdi-hook"},
                                           {"args", {"nvidia-cdi-hook", "update-ldcache"}}}));
  EXPECT_EQ(edits.at("deviceNodes").size(), 3u);
}

// As NVIDIA's toolkit writes it (nvidia-ctk cdi generate) for a driver that has such limits.
TEST_F(CdiSpecTest, TheDriversOwnLimitIsAskedForInWholeMibForTheGrantsCardsAlone) {
  VendorEdits vendor;
  vendor.environment = {"NVIDIA_GPU_MEMORY_LIMIT=9999"};
  for (const char* uuid : {"GPU-2", "GPU-3"}) {
    vendor.memory_limits.push_back(
        {uuid,
         {"createRuntime",
          "/usr/bin/nvidia-cdi-hook",
          {"nvidia-cdi-hook", "apply-cuda-memory-limits", "--driver-root", "/", "--gpu-id", uuid},
          {"NVIDIA_CTK_DEBUG=false"}}});
  }
  plan_.driver.way = DriverDelivery::Way::kCdi;
  plan_.driver.vendor = std::make_shared<const VendorEdits>(vendor);
  EXPECT_EQ(Edits().count("hooks"), 0u) << "not chosen";
  plan_.driver_limits = true;
  const json edits = Edits();
  EXPECT_EQ(edits.at("env"), json({"NVIDIA_VISIBLE_DEVICES=void", "NVIDIA_GPU_MEMORY_LIMIT=1024"}));
  EXPECT_EQ(edits.at("hooks"), json::array({{{"hookName", "createRuntime"},
                                             {"path", "/usr/bin/nvidia-cdi-hook"},
                                             {"args",
                                              {"nvidia-cdi-hook", "apply-cuda-memory-limits",
                                               "--driver-root", "/", "--gpu-id", "GPU-3"}},
                                             {"env", {"NVIDIA_CTK_DEBUG=false"}}}}));
}

TEST(CdiSpecFile, ItsNameSaysWhichGrantItIsOf) {
  EXPECT_EQ(CdiSpecFile("g1"), "aliquot.io-grant_g1.json");
  EXPECT_EQ(GrantOfCdiSpecFile("aliquot.io-grant_g1.json"), "g1");
  EXPECT_EQ(GrantOfCdiSpecFile("aliquot.io-grant_.json"), "");
  EXPECT_EQ(GrantOfCdiSpecFile("nvidia.yaml"), "");
  EXPECT_EQ(GrantOfCdiSpecFile("aliquot.io-grant_g1.yaml"), "");
}

}  // namespace
}  // namespace aliquot::agent
