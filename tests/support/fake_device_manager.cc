// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_device_manager.h"

#include <algorithm>

namespace aliquot::test {

void FakeDeviceManager::Restore(FakeKubeletCheckpoint checkpoint) {
  devices_.clear();
  reusable_.clear();
  for (const auto& [resource, ids] : checkpoint.registered_devices) devices_[resource] = {};
  kept_ = std::move(checkpoint);
}

FakeKubeletCheckpoint FakeDeviceManager::checkpoint() const {
  FakeKubeletCheckpoint checkpoint;
  checkpoint.allocations = kept_.allocations;
  for (const auto& [resource, sets] : devices_) {
    checkpoint.registered_devices[resource] = sets.healthy;
  }
  return checkpoint;
}

void FakeDeviceManager::SetDevices(const std::string& resource,
                                   const std::vector<std::pair<std::string, bool>>& devices) {
  DeviceSets sets;
  for (const auto& [id, healthy] : devices) (healthy ? sets.healthy : sets.unhealthy).insert(id);
  devices_[resource] = std::move(sets);
}

void FakeDeviceManager::MarkUnhealthy(const std::string& resource) {
  DeviceSets& sets = devices_[resource];
  sets.unhealthy.merge(sets.healthy);
  sets.healthy.clear();
}

std::vector<std::string> FakeDeviceManager::resources() const {
  std::vector<std::string> names;
  for (const auto& [resource, sets] : devices_) names.push_back(resource);
  return names;
}

int FakeDeviceManager::capacity(const std::string& resource) const {
  const auto found = devices_.find(resource);
  if (found == devices_.end()) return 0;
  return static_cast<int>(found->second.healthy.size() + found->second.unhealthy.size());
}

int FakeDeviceManager::allocatable(const std::string& resource) const {
  const auto found = devices_.find(resource);
  return found == devices_.end() ? 0 : static_cast<int>(found->second.healthy.size());
}

void FakeDeviceManager::AddPod(const FakePod& pod) { pods_[pod.uid] = {pod, false}; }

void FakeDeviceManager::EndPod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found != pods_.end()) found->second.second = true;
}

std::optional<FakePod> FakeDeviceManager::FindPod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  if (found == pods_.end() || found->second.second) return std::nullopt;
  return found->second.first;
}

std::vector<FakePod> FakeDeviceManager::Pods(bool ended_too) const {
  std::vector<FakePod> pods;
  for (const auto& [uid, entry] : pods_) {
    if (ended_too || !entry.second) pods.push_back(entry.first);
  }
  return pods;
}

void FakeDeviceManager::Reclaim() {
  for (auto at = kept_.allocations.begin(); at != kept_.allocations.end();) {
    const std::string& uid = std::get<0>(at->first);
    at = FindPod(uid) ? std::next(at) : kept_.allocations.erase(at);
  }
}

std::set<std::string> FakeDeviceManager::Held(const std::string& resource) const {
  std::set<std::string> held;
  for (const auto& [key, allocation] : kept_.allocations) {
    if (std::get<2>(key) != resource) continue;
    held.insert(allocation.device_ids.begin(), allocation.device_ids.end());
  }
  return held;
}

Result<std::vector<std::string>> FakeDeviceManager::Choose(const std::string& uid,
                                                           const std::string& resource, int amount,
                                                           std::mt19937& random) {
  const DeviceSets& sets = devices_[resource];
  if (sets.healthy.empty()) {
    return FailedPrecondition("no healthy devices present; cannot allocate unhealthy devices " +
                              resource);
  }
  const std::set<std::string>& reusable = reusable_[{uid, resource}];
  std::vector<std::string> ids(reusable.begin(), reusable.end());
  std::shuffle(ids.begin(), ids.end(), random);
  const auto wanted = static_cast<std::size_t>(amount);
  if (ids.size() < wanted) {
    const std::set<std::string> held = Held(resource);
    std::vector<std::string> available;
    std::set_difference(sets.healthy.begin(), sets.healthy.end(), held.begin(), held.end(),
                        std::back_inserter(available));
    if (ids.size() + available.size() < wanted) {
      return FailedPrecondition("requested number of devices unavailable for " + resource +
                                ". Requested: " + std::to_string(wanted - ids.size()) +
                                ", Available: " + std::to_string(available.size()));
    }
    std::shuffle(available.begin(), available.end(), random);
    available.resize(wanted - ids.size());
    ids.insert(ids.end(), available.begin(), available.end());
  }
  ids.resize(wanted);
  std::shuffle(ids.begin(), ids.end(), random);
  return ids;
}

void FakeDeviceManager::Commit(const std::string& uid, const FakeContainer& container,
                               const std::string& resource, FakeKubeletAllocation allocation) {
  std::set<std::string>& reusable = reusable_[{uid, resource}];
  for (const std::string& id : allocation.device_ids) {
    if (container.kind == model::ContainerKind::kInit) {
      reusable.insert(id);
    } else {
      reusable.erase(id);
    }
  }
  kept_.allocations[{uid, container.name, resource}] = std::move(allocation);
}

std::optional<FakeKubeletAllocation> FakeDeviceManager::Find(const std::string& uid,
                                                             const std::string& container,
                                                             const std::string& resource) const {
  const auto found = kept_.allocations.find({uid, container, resource});
  if (found == kept_.allocations.end()) return std::nullopt;
  return found->second;
}

void FakeDeviceManager::Describe(const FakePod& pod, v1::PodResources& message) const {
  message.set_name(pod.key.name);
  message.set_namespace_(pod.key.namespace_name);
  for (const FakeContainer& container : pod.containers) {
    if (container.kind == model::ContainerKind::kInit) continue;
    v1::ContainerResources* described = message.add_containers();
    described->set_name(container.name);
    for (const auto& [resource, amount] : container.resources) {
      const auto allocation = Find(pod.uid, container.name, resource);
      if (!allocation) continue;
      for (const std::string& id : allocation->device_ids) {
        v1::ContainerDevices* devices = described->add_devices();
        devices->set_resource_name(resource);
        devices->add_device_ids(id);
      }
    }
  }
}

}  // namespace aliquot::test
