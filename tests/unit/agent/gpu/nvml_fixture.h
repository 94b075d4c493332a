// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/gpu/nvml_backend.h"
#include "tests/unit/agent/gpu/fake_sysfs.h"
#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {

// One card of a machine to simulate; the rest has values of its own that tests need not care for.
struct SimCard {
  std::string uuid;
  int minor = 0;
  std::string pci;
  int numa = 0;
  std::string more;  // ", mode: mig"
};

// The back end under test with the simulated libnvidia-ml.so.1, a sysfs of its own and device
// nodes that are only told.
class NvmlTest : public ::testing::Test {
 protected:
  NvmlTest() {
    setenv("ALIQUOT_SIMGPU_PROFILE", scratch_.File("machine.yaml").c_str(), 1);
    setenv("ALIQUOT_SIMGPU_STATE", scratch_.File("state.yaml").c_str(), 1);
    setenv("ALIQUOT_SIMGPU_FAULTS", scratch_.File("faults.yaml").c_str(), 1);
    options_.library = ALIQUOT_SIMGPU_NVML;
    options_.sysfs_root = scratch_.File("sys");
    options_.stat_device = [this](const std::string& path) -> std::optional<DeviceStat> {
      const auto found = nodes_.find(path);
      return found == nodes_.end() ? std::nullopt : std::optional<DeviceStat>(found->second);
    };
    nodes_["/dev/nvidiactl"] = {195, 255, 0666, 0, 0};
    nodes_["/dev/nvidia-uvm"] = {511, 0, 0666, 0, 0};
  }

  // Cards 0.. as "GPU-0".., minor and NUMA node 0, at 0000:10:00.0, 0000:11:00.0, ..
  static std::vector<SimCard> Cards(int count) {
    std::vector<SimCard> cards;
    for (int i = 0; i < count; ++i) {
      char pci[32];
      std::snprintf(pci, sizeof(pci), "0000:%02x:00.0", 0x10 + i);
      cards.push_back({"GPU-" + std::to_string(i), i, pci, 0, ""});
    }
    return cards;
  }

  // `every` are the traits of all cards, `more` further top-level keys (links, nvlink).
  void Machine(
      const std::vector<SimCard>& cards, const std::string& more = "links: {default: SYS}\n",
      const std::string& every = "{model: Tesla T4, mib: 15360, computeCapability: \"7.5\"}") {
    std::string text = "driver: \"535.183.01\"\neveryCard: " + every + "\ncards:\n";
    for (const SimCard& each : cards) {
      text += "  - {uuid: " + each.uuid + ", minor: " + std::to_string(each.minor) + ", pci: \"" +
              each.pci + "\", numa: " + std::to_string(each.numa) + each.more + "}\n";
      nodes_["/dev/nvidia" + std::to_string(each.minor)] = {195, static_cast<unsigned>(each.minor),
                                                            0666, 0, 0};
    }
    scratch_.Write("machine.yaml", text + more);
  }
  void State(const std::string& body) { scratch_.Write("state.yaml", StateText(body)); }
  // Entries of the list, "{function: nvmlDeviceGetName, error: 999}".
  void Faults(const std::string& entries) {
    scratch_.Write("faults.yaml", "faults: [" + entries + "]\n");
  }

  GpuBackend& backend() {
    if (backend_ == nullptr) {
      backend_ = MakeNvmlBackend(options_);
    }
    return *backend_;
  }
  // A look that must succeed.
  aliquot::agent::Machine Look() {
    Result<aliquot::agent::Machine> machine = backend().Look();
    EXPECT_TRUE(machine.ok()) << machine.status().message();
    return machine.ok() ? *machine : aliquot::agent::Machine();
  }

  ScratchDirectory scratch_;
  FakeSysfs sysfs_{scratch_.File("sys")};
  std::map<std::string, DeviceStat> nodes_;
  NvmlOptions options_;
  std::unique_ptr<GpuBackend> backend_;
};

inline std::vector<std::string> Uuids(const Machine& machine) {
  std::vector<std::string> uuids;
  for (const MachineCard& each : machine.cards) {
    uuids.push_back(each.card.uuid);
  }
  return uuids;
}

}  // namespace aliquot::agent
