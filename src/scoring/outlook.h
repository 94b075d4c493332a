// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a policy may expect of the pods to come. Immutable and shared once built; thread-safe.
// Units: 1/1000 of a core, MiB, percent of a card.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/host.h"

namespace aliquot::scoring {

class FragmentMeasure;
class UsableVolume;

// Pods that ask for the same.
struct PodClass {
  model::HostAmount host;
  int cards = 0;  // 0: a pod without GPU
  int core = 0;   // percent of each card; 100 for whole ones
  // Models it may run on as model::ModelKey writes them, sorted; empty = any.
  std::vector<std::string> models;
  std::int64_t weight = 0;  // how often, beside the others; of an outlook, parts of 2^20
};

// Sums over the cluster's nodes that have cards and say what processor they have.
struct ClusterFigures {
  std::int64_t cpu_milli = 0;
  std::int64_t cpu_milli_used = 0;
  std::int64_t core = 0;  // 100 for each card that is ours to share
  std::int64_t core_used = 0;
  std::map<std::string, std::int64_t> cards_by_model;  // as the inventories spell it
};

// The expected mix of pods at one time. Ranks of two outlooks do not compare, so a request uses one
// from end to end and kept ranks carry its epoch.
struct Outlook {
  // Grows with every outlook of one source; 0 = nothing is known.
  std::uint64_t epoch = 0;
  std::vector<PodClass> classes;  // the most frequent first
  // What policies derive from the mix; never nullptr in an outlook that MakeOutlook made.
  std::shared_ptr<const UsableVolume> volume;
  std::shared_ptr<const FragmentMeasure> fragments;

  // Nothing is known: the mix is assumed (DefaultMix). Lives as long as the program.
  static const Outlook& Unknown();
};

// What is assumed of the pods to come before any was seen: mostly single cards, some halves and
// quarters, few jobs of four and eight cards, each with 70 % of the processor that the cluster has
// for its cards, so that some is left for pods without GPU.
std::vector<PodClass> DefaultMix(const ClusterFigures& cluster, std::int64_t weight);

// Takes milliseconds: the tables of all policies are built here, once for all ranks of the epoch.
// `classes`: in any order, of any weights; those of equal weight keep their order.
std::shared_ptr<const Outlook> MakeOutlook(std::uint64_t epoch, std::vector<PodClass> classes,
                                           const ClusterFigures& cluster);

}  // namespace aliquot::scoring
