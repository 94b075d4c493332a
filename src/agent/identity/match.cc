// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/match.h"

#include <algorithm>
#include <set>
#include <utility>

namespace aliquot::agent {
namespace {

using Names = std::set<std::string, std::less<>>;

// model::Pod has init containers and sidecars in spec order, then app containers: the order of
// their starts.
std::vector<std::string> InOrderOfStart(const NodePod& pod, const Names& wanted) {
  std::vector<std::string> names;
  for (const model::GpuContainer& container : pod.pod.gpu_containers) {
    if (wanted.count(container.name) != 0) names.push_back(container.name);
  }
  return names;
}

bool ByName(const NodePod* a, const NodePod* b) { return a->pod.key < b->pod.key; }

std::vector<std::string> Sorted(std::vector<std::string> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

Match MatchCheckpoint(const std::vector<std::string>& ids, const Checkpoint& checkpoint,
                      const PodsSnapshot& pods) {
  const std::vector<const CheckpointEntry*> entries = checkpoint.WithIds(ids);
  std::vector<const NodePod*> live;
  std::vector<const NodePod*> finished;
  std::set<std::string> not_shown;
  for (const CheckpointEntry* entry : entries) {
    const NodePod* pod = pods.Find(entry->uid);
    if (pod == nullptr) {
      not_shown.insert(entry->uid);
      continue;
    }
    std::vector<const NodePod*>& list = pod->pod.finished() ? finished : live;
    if (std::find(list.begin(), list.end(), pod) == list.end()) list.push_back(pod);
  }
  Match match;
  match.uids.assign(not_shown.begin(), not_shown.end());
  if (live.size() == 1 && not_shown.empty()) {
    match.kind = Match::Kind::kPod;
    match.pods = std::move(live);
    Names names;
    for (const CheckpointEntry* entry : entries) {
      if (entry->uid == match.pods[0]->pod.uid) names.insert(entry->container);
    }
    match.containers = InOrderOfStart(*match.pods[0], names);
  } else if (!live.empty()) {
    match.kind = Match::Kind::kSeveral;
    match.pods = std::move(live);
  } else if (!not_shown.empty()) {
    match.kind = Match::Kind::kNotShown;
  } else if (!finished.empty()) {
    match.kind = Match::Kind::kFinished;
    match.pods = std::move(finished);
  }
  std::sort(match.pods.begin(), match.pods.end(), ByName);
  return match;
}

std::vector<const NodePod*> Candidates(std::size_t ids, const PodsSnapshot& pods,
                                       const model::ResourceNames& names, const FilledTest& filled,
                                       std::string_view first) {
  std::vector<std::pair<int, const NodePod*>> ranked;
  for (const auto& pod : *pods.pods) {
    if (pod->pod.finished() || !pod->acknowledged) continue;
    bool fits = false;
    bool unfilled = false;
    for (const model::GpuContainer& container : pod->pod.gpu_containers) {
      if (AmountsOf(container, names).core != static_cast<std::int64_t>(ids)) continue;
      fits = true;
      unfilled = unfilled || !filled(pod->pod.uid, container.name);
    }
    if (!fits) continue;
    const int rank = pod->pod.uid == first ? 0 : unfilled ? 1 : 2;
    ranked.emplace_back(rank, pod.get());
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const NodePod*> out;
  for (const auto& candidate : ranked) out.push_back(candidate.second);
  return out;
}

std::vector<std::string> ContainersByListing(const std::vector<std::string>& ids,
                                             const NodePod& pod, const PodResourcesPod& listed,
                                             const model::ResourceNames& names) {
  if (!(listed.key == pod.pod.key)) return {};
  Names found;
  bool shared = false;
  for (const PodResourcesContainer& container : listed.containers) {
    const std::vector<std::string> held = Sorted(container.device_ids);
    if (held == ids) found.insert(container.name);
    for (const std::string& id : held) {
      shared = shared || std::binary_search(ids.begin(), ids.end(), id);
    }
  }
  if (shared) {
    for (const model::GpuContainer& container : pod.pod.gpu_containers) {
      const bool same_count =
          AmountsOf(container, names).core == static_cast<std::int64_t>(ids.size());
      if (container.kind == model::ContainerKind::kInit && same_count) found.insert(container.name);
    }
  }
  return InOrderOfStart(pod, found);
}

}  // namespace aliquot::agent
