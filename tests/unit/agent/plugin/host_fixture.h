// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/plugin/plugin_host.h"
#include "tests/support/eventually.h"
#include "tests/support/fake_kubelet.h"
#include "tests/unit/agent/plugin/plugin_fixture.h"

namespace aliquot::agent {

// A host and a fake kubelet in one directory; tests begin each when they want it.
class HostTest : public ::testing::Test {
 protected:
  void StartKubelet(test::FakeKubeletOptions options = {}) {
    options.directory = directory_ / "plugins";
    std::filesystem::create_directories(options.directory);
    kubelet_ = std::make_unique<test::FakeKubelet>(options);
    kubelet_->Start();
  }

  PluginHostOptions HostOptions() const {
    PluginHostOptions options;
    options.directory = directory_ / "plugins";
    options.core_resource = kCore;
    options.memory_resource = kMemory;
    options.stream_grace = std::chrono::milliseconds(300);
    options.settle = std::chrono::milliseconds(200);
    options.look_interval = std::chrono::milliseconds(20);
    return options;
  }
  void StartHost() { StartHost(HostOptions()); }
  void StartHost(const PluginHostOptions& options) {
    host_ = std::make_unique<PluginHost>(options, desk_, log_);
    host_->SetDevices(Cores(100, 100), Memories(60));
    host_->Start();
  }

  // The kubelet counts all devices of both resources.
  bool Registered() const {
    return kubelet_->WaitForAllocatable(kCore, 100) && kubelet_->WaitForAllocatable(kMemory, 60);
  }
  // The kubelet's socket looks as if another kubelet had bound it.
  void ReplaceKubeletSocket() const {
    const std::string path = directory_ / "plugins/kubelet.sock";
    std::filesystem::last_write_time(
        path, std::filesystem::last_write_time(path) + std::chrono::seconds(1));
  }
  // The sockets of ours that lie in the directory.
  std::set<std::string> Sockets() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "plugins")) {
      const std::string name = entry.path().filename();
      if (name.rfind("aliquot-", 0) == 0) names.insert(name);
    }
    return names;
  }
  std::size_t Registrations(const std::string& resource) const {
    std::size_t count = 0;
    for (const auto& [name, endpoint] : kubelet_->Registrations()) count += name == resource;
    return count;
  }

  TemporaryDirectory directory_;
  FakeDesk desk_;
  observability::NullLog log_;
  std::unique_ptr<test::FakeKubelet> kubelet_;
  std::unique_ptr<PluginHost> host_;
};

}  // namespace aliquot::agent
