// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "podresources/v1/api.pb.h"
#include "tests/support/fake_kubelet.h"
#include "tests/support/fake_kubelet_checkpoint.h"

namespace aliquot::test {

// Which device IDs a fake kubelet has and who holds them: its rules without its connections. Not
// thread-safe.
class FakeDeviceManager {
 public:
  // As at a start: allocations are known, devices are not until their plugins register.
  void Restore(FakeKubeletCheckpoint checkpoint);
  FakeKubeletCheckpoint checkpoint() const;

  void SetDevices(const std::string& resource,
                  const std::vector<std::pair<std::string, bool>>& devices);
  void MarkUnhealthy(const std::string& resource);  // all of them
  bool Known(const std::string& resource) const { return devices_.count(resource) > 0; }
  std::vector<std::string> resources() const;
  int capacity(const std::string& resource) const;
  int allocatable(const std::string& resource) const;

  void AddPod(const FakePod& pod);
  void EndPod(const std::string& uid);
  void RemovePod(const std::string& uid) { pods_.erase(uid); }
  std::optional<FakePod> FindPod(const std::string& uid) const;  // that has not ended
  std::vector<FakePod> Pods(bool ended_too) const;
  // Frees what pods hold that have ended or are gone.
  void Reclaim();

  // IDs for a container, in random order: first those that ordinary init containers of its pod had.
  Result<std::vector<std::string>> Choose(const std::string& uid, const std::string& resource,
                                          int amount, std::mt19937& random);
  void Commit(const std::string& uid, const FakeContainer& container, const std::string& resource,
              FakeKubeletAllocation allocation);
  std::optional<FakeKubeletAllocation> Find(const std::string& uid, const std::string& container,
                                            const std::string& resource) const;

  // As PodResources tells it: no ordinary init containers, one entry for each ID.
  void Describe(const FakePod& pod, v1::PodResources& message) const;

 private:
  struct DeviceSets {
    std::set<std::string> healthy;
    std::set<std::string> unhealthy;
  };

  std::set<std::string> Held(const std::string& resource) const;

  std::map<std::string, DeviceSets> devices_;
  FakeKubeletCheckpoint kept_;  // its allocations; registered_devices is made from devices_
  std::map<std::string, std::pair<FakePod, bool>> pods_;  // by UID; has it ended?
  std::map<std::pair<std::string, std::string>, std::set<std::string>> reusable_;  // uid, resource
};

}  // namespace aliquot::test
