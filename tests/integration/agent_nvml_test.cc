// SPDX-License-Identifier: Apache-2.0
// The back end `auto`: no driver at the start, and then one, seen through the simulated
// libnvidia-ml.so.1. A program of its own: NVML is loaded into the process.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/integration/agent_fixture.h"

namespace aliquot::agent {
namespace {

class AgentNvml : public AgentTest {
 protected:
  AgentNvml() {
    configuration_.gpu.backend = "auto";
    profile_ = configuration_.gpu.profile;
    configuration_.gpu.profile.clear();
    configuration_.gpu.library = directory_.PathOf("libnvidia-ml.so.1");
    configuration_.gpu.device_root = directory_.PathOf("dev");
    setenv("ALIQUOT_SIMGPU_PROFILE", profile_.c_str(), 1);
    setenv("ALIQUOT_SIMGPU_STATE", directory_.PathOf("machine.yaml").c_str(), 1);
    unsetenv("ALIQUOT_SIMGPU_FAULTS");
  }
  // The device nodes that a loaded driver makes, and its library.
  void LoadDriver() {
    std::filesystem::create_directory(configuration_.gpu.device_root);
    const auto make = [this](const std::string& name, unsigned major, unsigned minor) {
      const std::string path = configuration_.gpu.device_root + "/" + name;
      ASSERT_EQ(mknod(path.c_str(), S_IFCHR | 0666, makedev(major, minor)), 0);
    };
    for (unsigned i = 0; i < 4; ++i) {
      make("nvidia" + std::to_string(i), 195, i);
    }
    make("nvidiactl", 195, 255);
    make("nvidia-uvm", 511, 0);
    make("nvidia-uvm-tools", 511, 1);
    std::filesystem::copy_file(ALIQUOT_SIMULATED_NVML, configuration_.gpu.library);
  }

  std::string profile_;
};

TEST_F(AgentNvml, WithoutADriverItIdlesReadyAndComesAliveWhenTheDriverAppears) {
  StartReady(0);
  EXPECT_EQ(Metric("aliquot_agent_degraded{state=\"no_driver\"}"), "1");
  EXPECT_TRUE(log_.Says("no GPU can be seen"));
  EXPECT_EQ(NodeWrites(), 0u) << "nothing is known of this node's cards";
  LoadDriver();
  EXPECT_TRUE(WaitReady(400));
  EXPECT_TRUE(Eventually([&] { return Inventory().value("cards", Json::array()).size() == 4; }));
  EXPECT_EQ(Metric("aliquot_agent_degraded{state=\"no_driver\"}"), "0");
  const TestPod pod = OneShare("a", Uuid(1));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({1}));
}

TEST_F(AgentNvml, CardsWithOneUuidAreNotOfferedAndTheOthersAre) {
  std::ifstream file(profile_);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string other = "51a000000001";
  text.replace(text.find(other), other.size(), "51a000000000");
  setenv("ALIQUOT_SIMGPU_PROFILE", directory_.Write("twice.yaml", text).c_str(), 1);
  UseProfile(profile_);
  configuration_.gpu.profile.clear();
  LoadDriver();
  StartReady(200);  // of four cards two have no name of their own
  EXPECT_TRUE(Eventually([&] { return Inventory().value("cards", Json::array()).size() == 2; }));
  EXPECT_TRUE(log_.Says("has the same UUID " + Uuid(0)));
  const TestPod pod = OneShare("a", Uuid(2));
  Admit(pod);
  EXPECT_EQ(StartsWithin(pod, "work"), Nodes({2}));
  const TestPod doubled = OneShare("b", Uuid(0));
  Admit(doubled);
  EXPECT_THAT(Refused(doubled, "work"), testing::HasSubstr("card_unhealthy: "));
}

}  // namespace
}  // namespace aliquot::agent
