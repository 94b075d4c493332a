// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/listing_search.h"

#include <utility>

#include "agent/identity/match.h"

namespace aliquot::agent {

ListingSearch::ListingSearch(std::vector<std::string> ids, const model::ResourceNames& names,
                             PodResources& pod_resources, int max_gets)
    : ids_(std::move(ids)), names_(names), pod_resources_(pod_resources), max_gets_(max_gets) {}

const NodePod* ListingSearch::Find(const std::vector<const NodePod*>& candidates,
                                   const std::function<SteadyTime()>& deadline) {
  for (const NodePod* pod : candidates) {
    if (exhausted() && !asked_for_all_) return nullptr;
    if (!asked_about_.insert(pod->pod.uid).second) continue;
    const std::optional<PodResourcesPod> listed = Ask(pod->pod.key, deadline);
    if (!listed) continue;
    containers_ = ContainersByListing(ids_, *pod, *listed, names_);
    if (containers_.empty()) continue;
    uid_ = pod->pod.uid;
    return pod;
  }
  return nullptr;
}

std::optional<PodResourcesPod> ListingSearch::Ask(const model::PodKey& key,
                                                  const std::function<SteadyTime()>& deadline) {
  if (!asked_for_all_) {
    ++gets_;
    Result<PodResourcesPod> pod = pod_resources_.Get(key, deadline());
    if (pod.ok()) return *std::move(pod);
    if (pod.status().code() != StatusCode::kUnimplemented) return std::nullopt;
    asked_for_all_ = true;
    Result<std::vector<PodResourcesPod>> all = pod_resources_.List(deadline());
    if (all.ok()) all_ = *std::move(all);
  }
  for (const PodResourcesPod& pod : all_) {
    if (pod.key == key) return pod;
  }
  return std::nullopt;
}

}  // namespace aliquot::agent
