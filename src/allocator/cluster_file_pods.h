// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "allocator/cluster_file_nodes.h"
#include "base/string_map.h"
#include "model/demand.h"
#include "model/names.h"
#include "model/peak.h"
#include "model/pod.h"
#include "program/map_reader.h"

namespace aliquot::allocator {

// The pods of a cluster file while it is read, once its nodes are known. Not thread-safe; the nodes
// must outlive it.
class PodTable {
 public:
  PodTable(const NodeTable& nodes, const model::ResourceNames& names)
      : nodes_(nodes), names_(names) {}

  void AddEntry(program::YamlSource& source, const program::YamlValue& value,
                const program::YamlPath& path);
  std::vector<model::Pod> TakePods() { return std::move(pods_); }

 private:
  // Which cards each container holds, in the order of Pod::gpu_containers; empty: none are given.
  using Cards = std::vector<std::vector<int>>;

  bool ReadIdentity(program::MapReader& reader, model::Pod& pod);
  void ReadPlace(program::MapReader& reader, model::Pod& pod) const;
  void ReadAnnotations(program::MapReader& reader, model::Pod& pod) const;
  bool ReadContainers(program::MapReader& reader, model::Pod& pod, Cards& cards) const;
  bool CheckCards(program::MapReader& reader, const model::PodDemand& demand,
                  const model::Inventory& inventory, const Cards& cards) const;
  void Record(program::MapReader& reader, model::Pod& pod, const model::PodDemand& demand,
              const Cards& cards);
  bool TakeCards(program::MapReader& reader, const model::Pod& pod, const model::PodDemand& demand,
                 const model::Inventory& inventory, const Cards& cards);

  const NodeTable& nodes_;
  const model::ResourceNames names_;
  std::vector<model::Pod> pods_;
  StringSet keys_;
  StringSet uids_;
  // What is taken of each card of a node so far.
  StringMap<std::vector<model::CardUse>> taken_;
};

}  // namespace aliquot::allocator
