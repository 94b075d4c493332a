// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/host.h"
#include "model/names.h"
#include "model/pod.h"

namespace aliquot::model {

// What one container asks for: `cards` different cards, and on each of them `core` percent and
// `mib` MiB. A whole-card container has core 100 and `whole` set; its memory is whatever the card
// has.
struct ContainerDemand {
  std::string name;
  ContainerKind kind = ContainerKind::kApp;
  int index = 0;  // in its list of the spec, as GpuContainer::index
  int cards = 1;
  int core = 0;
  std::int64_t mib = 0;
  bool whole = false;
};

// How the user wants cards to be chosen: annotation aliquot.io/placement.
enum class Placement { kUnsaid, kBinpack, kSpread, kTopology };

// Which cards a pod may have, apart from room on them: what its annotations say. All its cards
// together are meant, those of every container.
struct CardWishes {
  // Names of models and card UUIDs, sorted; an empty list to include means any.
  std::vector<std::string> models;
  std::vector<std::string> models_excluded;
  std::vector<std::string> uuids;
  std::vector<std::string> uuids_excluded;
  bool all_nvlink = false;  // aliquot.io/link: required, each pair of its cards
  bool one_numa = false;    // aliquot.io/numa: required, all of them on one NUMA node
  Placement placement = Placement::kUnsaid;

  bool names_cards() const {
    return !models.empty() || !models_excluded.empty() || !uuids.empty() || !uuids_excluded.empty();
  }
  bool binds_cards_together() const { return all_nvlink || one_numa; }
};

// What a pod asks for, checked. `containers` holds those with a demand above zero: init containers
// and sidecars in spec order, then app containers.
struct PodDemand {
  std::vector<ContainerDemand> containers;
  // Elastic ceiling in percent for every fractional container; 0 = none asked. Clipped to 100.
  int ceiling = 0;
  CardWishes wishes;
  HostAmount host;  // as Pod::host
  // Equal for pods that ask for the same, whatever their names: the key of caches.
  std::string shape;

  bool empty() const { return containers.empty(); }
};

// Reads and checks the demand of a pod by the rules of the resource model
// (docs/reference/annotations.md). Pure. The error is one sentence that names container, field,
// value and remedy. Admission refuses with the same sentences, so that what reached the cluster
// without admission is refused alike.
Result<PodDemand> DemandOf(const Pod& pod, const ResourceNames& names);

// A Kubernetes quantity for a countable resource: decimal digits with an optional suffix k, M, G,
// T, P, E or Ki .. Ei, or decimal exponent, that comes to a whole number of 0 .. 2^63-1. The API
// server stores extended resources as written ("1k", "1e3"), so both forms reach us. Source: the
// quantity grammar of k8s.io/apimachinery/pkg/api/resource.
Result<std::int64_t> ParseCount(std::string_view text);

}  // namespace aliquot::model
