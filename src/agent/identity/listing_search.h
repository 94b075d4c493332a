// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/identity/node_pods.h"
#include "agent/identity/pod_resources.h"
#include "base/clock.h"
#include "model/names.h"

namespace aliquot::agent {

// Looks for the holder of device IDs by asking PodResources about one pod after the other: Get, as
// often as allowed; where the kubelet has no Get, one List. For one start and one thread. Both
// references must outlive it.
class ListingSearch {
 public:
  ListingSearch(std::vector<std::string> ids, const model::ResourceNames& names,
                PodResources& pod_resources, int max_gets);

  // The first of the candidates, of those not asked about before, that holds the IDs, or nullptr.
  // Each call to PodResources has until `deadline()`.
  const NodePod* Find(const std::vector<const NodePod*>& candidates,
                      const std::function<SteadyTime()>& deadline);

  // Of the pod found: ContainersByListing (match.h), and its UID ("" = none found yet).
  const std::vector<std::string>& containers() const { return containers_; }
  const std::string& uid() const { return uid_; }
  // It will not ask again.
  bool exhausted() const { return asked_for_all_ || gets_ >= max_gets_; }
  int gets() const { return gets_; }

 private:
  std::optional<PodResourcesPod> Ask(const model::PodKey& key,
                                     const std::function<SteadyTime()>& deadline);

  const std::vector<std::string> ids_;
  const model::ResourceNames& names_;
  PodResources& pod_resources_;
  const int max_gets_;
  int gets_ = 0;
  bool asked_for_all_ = false;
  std::vector<PodResourcesPod> all_;
  std::set<std::string> asked_about_;  // UIDs
  std::string uid_;
  std::vector<std::string> containers_;
};

}  // namespace aliquot::agent
