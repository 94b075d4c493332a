// SPDX-License-Identifier: Apache-2.0
#include "simulate/trace_objects.h"

#include <cstddef>
#include <memory>
#include <vector>

#include "base/strings.h"
#include "topology/description.h"

namespace aliquot::simulate {
namespace {

// The part of a triangle over `all` devices that is about the first `some` of them.
template <typename T>
std::vector<T> FirstOfTriangle(const std::vector<T>& triangle, std::size_t all, std::size_t some) {
  std::vector<T> first;
  if (triangle.empty()) {
    return first;
  }
  for (std::size_t a = 0; a < some; ++a) {
    for (std::size_t b = a + 1; b < some; ++b) {
      first.push_back(triangle[topology::PairIndex(a, b, all)]);
    }
  }
  return first;
}

void CopyLinks(const model::Inventory& links, model::Inventory& inventory) {
  const std::size_t all = links.cards.size();
  const std::size_t some = inventory.cards.size();
  for (std::size_t i = 0; i < some; ++i) {
    inventory.cards[i].numa = links.cards[i].numa;
  }
  inventory.links = FirstOfTriangle(links.links, all, some);
  inventory.gbps = FirstOfTriangle(links.gbps, all, some);
}

std::shared_ptr<const model::Inventory> InventoryOf(const TraceNode& node, const std::string& name,
                                                    const model::Inventory* links) {
  auto inventory = std::make_shared<model::Inventory>();
  for (int i = 0; i < node.gpus; ++i) {
    model::Card card;
    card.uuid = "GPU-" + name + "-" + std::to_string(i);
    card.minor = i;
    card.model = node.model;
    card.mib = kCardMib;
    card.numa = 0;
    card.health = "ok";
    inventory->cards.push_back(std::move(card));
  }
  if (links != nullptr) {
    CopyLinks(*links, *inventory);
  }
  model::SetShape(*inventory);
  return inventory;
}

}  // namespace

model::Node NodeObject(const TraceNode& node, const std::string& name,
                       const model::Inventory* links) {
  model::Node object;
  object.name = name;
  object.uid = name;
  object.allocatable = node.host;
  if (node.gpus > 0) {
    object.inventory = InventoryOf(node, name, links);
  }
  return object;
}

model::Pod PodObject(const TracePod& pod, const std::string& name,
                     const model::ResourceNames& names) {
  model::Pod object;
  object.key = {"trace", name};
  object.uid = name;
  object.host = pod.host;
  if (pod.gpus == 0) {
    return object;
  }
  object.has_gpu_label = true;
  model::GpuContainer container;
  container.name = "main";
  const int core = CorePercent(pod.gpu_milli);
  container.quantities.push_back({names.core, std::to_string(core * pod.gpus)});
  if (core < 100) {
    container.quantities.push_back({names.memory, std::to_string(core)});
  }
  object.gpu_containers.push_back(std::move(container));
  if (!pod.models.empty()) {
    object.annotations.emplace(model::kGpuModelAnnotation, Join(pod.models, ","));
  }
  return object;
}

}  // namespace aliquot::simulate
