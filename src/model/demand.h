// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/card_wishes.h"
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

// What a pod asks for, checked. `containers` holds those with a demand above zero: init containers
// and sidecars in spec order, then app containers.
struct PodDemand {
  std::vector<ContainerDemand> containers;
  // Elastic ceiling in percent for every fractional container; 0 = none asked. Clipped to 100.
  int ceiling = 0;
  // Who is to hold the shares (aliquot.io/isolation): the node's choice, unless the pod asks.
  std::string isolation = "auto";
  CardWishes wishes;
  HostAmount host;  // as Pod::host
  // Equal for pods that ask for the same, whatever their names: the key of caches.
  std::string shape;

  bool empty() const { return containers.empty(); }
};

// Does the pod's speed hang on the links between its cards? By placement where it is said
// (topology: yes; binpack, spread: no), else when a container asks for two whole cards or more.
bool BandwidthSensitive(const PodDemand& demand);

// Reads and checks the demand of a pod, its annotations included, by the rules of the resource
// model (docs/reference/annotations.md). Pure. The error is one sentence that names container,
// field, value and remedy. Admission refuses with the same sentences, so that what reached the
// cluster without admission is refused alike.
Result<PodDemand> DemandOf(const Pod& pod, const ResourceNames& names);

// The demand by the containers' resources alone: for bound pods, of which the annotations may have
// been edited since.
Result<PodDemand> DemandOfSpec(const Pod& pod, const ResourceNames& names);

// A Kubernetes quantity for a countable resource: decimal digits with an optional suffix k, M, G,
// T, P, E or Ki .. Ei, or decimal exponent, that comes to a whole number of 0 .. 2^63-1. The API
// server stores extended resources as written ("1k", "1e3"), so both forms reach us. Source: the
// quantity grammar of k8s.io/apimachinery/pkg/api/resource.
Result<std::int64_t> ParseCount(std::string_view text);

}  // namespace aliquot::model
