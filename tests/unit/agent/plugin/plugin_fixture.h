// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "agent/plugin/advertised_devices.h"
#include "agent/plugin/container_desk.h"
#include "base/mutex.h"

namespace aliquot::agent {

inline constexpr char kCore[] = "tencent.com/vcuda-core";
inline constexpr char kMemory[] = "tencent.com/vcuda-memory";

// Removed with what is in it. Short, as a socket's path must be.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent = "/tmp") {
    std::string pattern = parent + "/aliquot-plugin-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Answers each set of IDs with a device named after its size, and refuses to start while told to.
class FakeDesk final : public ContainerDesk {
 public:
  Result<ContainerEdits> Allocate(const std::vector<std::string>& device_ids) override {
    MutexLock lock(mutex_);
    allocated_.push_back(device_ids);
    ContainerEdits edits;
    edits.environment["NVIDIA_VISIBLE_DEVICES"] = "void";
    edits.mounts.push_back({"/run/aliquot/limits", "/host/limits", true});
    edits.mounts.push_back({"/run/aliquot/usage", "/host/usage", false});
    edits.devices.push_back({"/dev", "/host/" + std::to_string(device_ids.size()), "rw"});
    edits.cdi_devices.push_back("aliquot.io/grant=g1");
    return edits;
  }

  Status PreStart(const std::vector<std::string>& device_ids) override {
    MutexLock lock(mutex_);
    pre_started_.push_back(device_ids);
    ++inside_;
    changed_.NotifyAll();
    while (held_) changed_.Wait(mutex_);
    --inside_;
    return refusal_;
  }

  void Refuse(Status refusal) {
    MutexLock lock(mutex_);
    refusal_ = std::move(refusal);
  }
  // While held, PreStart does not return.
  void Hold(bool held) {
    MutexLock lock(mutex_);
    held_ = held;
    changed_.NotifyAll();
  }
  int inside() const {
    MutexLock lock(mutex_);
    return inside_;
  }
  std::vector<std::vector<std::string>> allocated() const {
    MutexLock lock(mutex_);
    return allocated_;
  }
  std::vector<std::vector<std::string>> pre_started() const {
    MutexLock lock(mutex_);
    return pre_started_;
  }

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  bool held_ GUARDED_BY(mutex_) = false;
  int inside_ GUARDED_BY(mutex_) = 0;
  Status refusal_ GUARDED_BY(mutex_);
  std::vector<std::vector<std::string>> allocated_ GUARDED_BY(mutex_);
  std::vector<std::vector<std::string>> pre_started_ GUARDED_BY(mutex_);
};

inline std::vector<AdvertisedDevice> Cores(std::int64_t total, std::int64_t healthy) {
  return AdvertisedDevices(kCoreIdPrefix, total, healthy, {}).devices;
}
inline std::vector<AdvertisedDevice> Memories(std::int64_t total) {
  return AdvertisedDevices(kMemoryIdPrefix, total, total, {}).devices;
}

}  // namespace aliquot::agent
