// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file_pods.h"

#include <algorithm>
#include <utility>

#include "allocator/cluster_file_host.h"
#include "api/annotation_value.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "extender/annotations.h"
#include "model/allocation.h"

namespace aliquot::allocator {
namespace {

struct FileContainer {
  model::GpuContainer container;
  std::optional<std::vector<int>> cards;
};

std::optional<FileContainer> ReadContainer(program::YamlSource& source,
                                           const program::YamlValue& value,
                                           const program::YamlPath& path,
                                           const model::ResourceNames& names) {
  constexpr std::int64_t kMost = std::int64_t{1}
                                 << 40;  // the resource model has its own, lower bounds
  program::MapReader reader(source, value, path);
  FileContainer read;
  read.container.name = reader.RequiredText("name");
  const std::string kind = reader.Choice("kind", "app", {"app", "init", "sidecar"});
  read.container.kind = kind == "init"      ? model::ContainerKind::kInit
                        : kind == "sidecar" ? model::ContainerKind::kSidecar
                                            : model::ContainerKind::kApp;
  const auto core = reader.Integer("core", 0, 0, kMost);
  const auto memory = reader.Integer("memory", 0, 0, kMost);
  if (core > 0) {
    read.container.quantities.push_back({names.core, std::to_string(core)});
  }
  if (memory > 0) {
    read.container.quantities.push_back({names.memory, std::to_string(memory)});
  }
  read.cards = reader.Integers("cards", 0, 63);
  reader.RefuseUnknownKeys();
  if (!read.container.name.empty() && !api::IsDnsLabel(read.container.name)) {
    reader.Complain("name", "is \"" + Printable(read.container.name) +
                                "\"; use at most 63 lower case letters, digits and '-'");
  }
  if (core == 0 && memory == 0) {
    reader.Complain("core", "is 0; list only containers that ask for a share, at least 1");
    return std::nullopt;
  }
  return read;
}

// Numbers each container in its list of the spec, which holds nothing else here.
void NumberContainers(std::vector<FileContainer>& containers) {
  std::stable_partition(containers.begin(), containers.end(), [](const FileContainer& each) {
    return each.container.kind != model::ContainerKind::kApp;
  });
  int init = 0;
  int app = 0;
  for (FileContainer& each : containers) {
    each.container.index = each.container.kind == model::ContainerKind::kApp ? app++ : init++;
  }
}

model::PodPhase PhaseOf(const std::string& word) {
  return word == "Running"     ? model::PodPhase::kRunning
         : word == "Succeeded" ? model::PodPhase::kSucceeded
         : word == "Failed"    ? model::PodPhase::kFailed
                               : model::PodPhase::kPending;
}

model::Allocation AllocationOf(const model::Pod& pod, const model::PodDemand& demand,
                               const model::Inventory& inventory,
                               const std::vector<std::vector<int>>& cards) {
  model::Allocation allocation;
  allocation.uid = pod.uid;
  allocation.node = pod.node_name;
  for (std::size_t i = 0; i < demand.containers.size(); ++i) {
    const model::ContainerDemand& asked = demand.containers[i];
    model::AllocatedContainer container;
    container.name = asked.name;
    container.limit = asked.whole ? 0 : demand.ceiling;
    container.isolation = demand.isolation;
    for (const int index : cards[i]) {
      const model::Card& card = inventory.cards[static_cast<std::size_t>(index)];
      container.cards.push_back({card.uuid, asked.core, asked.whole ? card.mib : asked.mib});
    }
    allocation.containers.push_back(std::move(container));
  }
  return allocation;
}

}  // namespace

void PodTable::AddEntry(program::YamlSource& source, const program::YamlValue& value,
                        const program::YamlPath& path) {
  program::MapReader reader(source, value, path);
  const std::size_t before = source.problems.count();
  model::Pod pod;
  Cards cards;
  pod.has_gpu_label = true;
  pod.resource_version = "1";
  const bool known = ReadIdentity(reader, pod);
  ReadPlace(reader, pod);
  ReadAnnotations(reader, pod);
  pod.host = ReadHost(reader, model::Rounding::kUp).value_or(model::HostAmount());
  const bool complete = ReadContainers(reader, pod, cards);
  reader.RefuseUnknownKeys();
  if (!known || !complete || source.problems.count() != before) {
    return;
  }
  const auto demand = model::DemandOf(pod, names_);
  const auto steering =
      demand.ok() ? api::CheckIsolation(pod) : Result<std::vector<std::string>>(demand.status());
  if (!steering.ok()) {
    source.problems.Add(source.Where(value.line), path.ToString() + " (" + pod.key.ToString() +
                                                      "): " + steering.status().message());
    return;
  }
  if (!cards.empty()) {
    Record(reader, pod, *demand, cards);
  }
  pods_.push_back(std::move(pod));
}

bool PodTable::ReadIdentity(program::MapReader& reader, model::Pod& pod) {
  pod.key.namespace_name = reader.Text("namespace", "default");
  pod.key.name = reader.RequiredText("name");
  if (!api::IsDnsLabel(pod.key.namespace_name)) {
    reader.Complain("namespace", "is \"" + Printable(pod.key.namespace_name) +
                                     "\"; use at most 63 lower case letters, digits and '-'");
    return false;
  }
  if (pod.key.name.empty()) {
    return false;
  }
  if (!api::IsDnsSubdomain(pod.key.name)) {
    reader.Complain("name", "is \"" + Printable(pod.key.name) +
                                "\"; use lower case letters, digits, '-' and '.'");
    return false;
  }
  pod.uid = reader.Text("uid", "uid-" + pod.key.namespace_name + "-" + pod.key.name);
  if (!api::IsUid(pod.uid)) {
    reader.Complain("uid", "is \"" + Printable(pod.uid) +
                               "\"; use at most 128 letters, digits, '-', '_' and '.'");
    return false;
  }
  if (!keys_.insert(pod.key.ToString()).second) {
    reader.Complain("name", "is \"" + pod.key.name +
                                "\", as another pod of its namespace is; give each its own");
    return false;
  }
  if (!uids_.insert(pod.uid).second) {
    reader.Complain("uid", "is \"" + pod.uid + "\", as another pod's is; give each its own");
    return false;
  }
  return true;
}

void PodTable::ReadPlace(program::MapReader& reader, model::Pod& pod) const {
  pod.node_name = reader.Text("node", "");
  const bool bound = !pod.node_name.empty();
  const std::string phase = reader.Choice("phase", bound ? "Running" : "Pending",
                                          {"Pending", "Running", "Succeeded", "Failed"});
  pod.phase = PhaseOf(phase);
  if (bound && nodes_.Find(pod.node_name) == nullptr) {
    reader.Complain("node", "is \"" + Printable(pod.node_name) +
                                "\", which is no node of this file; name one of them");
  }
  if (!bound && pod.phase != model::PodPhase::kPending) {
    reader.Complain("phase",
                    "is \"" + phase + "\" without a node; give the node, or leave the phase out");
  }
}

void PodTable::ReadAnnotations(program::MapReader& reader, model::Pod& pod) const {
  const program::YamlValue* map = reader.Map("annotations");
  if (map == nullptr) {
    return;
  }
  const program::YamlPath path(reader.path(), "annotations");
  program::MapReader annotations(reader.source(), *map, path);
  for (const std::string& key : map->keys) {
    std::string text = annotations.Text(key, "");
    const program::YamlValue* value = map->Find(key);
    if (!api::IsQualifiedName(key)) {
      annotations.Complain(key, "is no annotation key; write [domain/]name");
    } else if (api::IsOwnPodAnnotation(key)) {
      annotations.Complain(key, "is a record that only Aliquot writes; give cards instead");
    } else if (value->kind == program::YamlValue::Kind::kScalar && value->plain &&
               program::YamlInteger(*value)) {
      annotations.Complain(key, "is a number; annotations are text, so put it in quotes");
    } else if (StartsWith(key, model::kOurDomain) || StartsWith(key, model::kTencentDomain)) {
      pod.annotations[key] = std::move(text);
    }
  }
}

// False when the containers are not all known.
bool PodTable::ReadContainers(program::MapReader& reader, model::Pod& pod, Cards& cards) const {
  reader.MissingKey("containers");
  const program::YamlValue* list = reader.List("containers");
  if (list == nullptr) {
    return false;
  }
  if (list->items.empty()) {
    reader.Complain("containers", "is empty; list the containers that ask for a share");
    return false;
  }
  const program::YamlPath path(reader.path(), "containers");
  std::vector<FileContainer> containers;
  StringSet container_names;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    auto read = ReadContainer(reader.source(), list->items[i], program::YamlPath(path, i), names_);
    if (!read) {
      return false;
    }
    if (!container_names.insert(read->container.name).second) {
      reader.Complain("containers", "has two named \"" + Printable(read->container.name) +
                                        "\"; give each its own name");
    }
    containers.push_back(*std::move(read));
  }
  NumberContainers(containers);
  for (FileContainer& each : containers) {
    if (each.cards) {
      cards.push_back(*std::move(each.cards));
    }
    pod.gpu_containers.push_back(std::move(each.container));
  }
  if (!cards.empty() && cards.size() != containers.size()) {
    reader.Complain("containers", "gives cards for some only; give them for each, or for none");
  }
  if (!cards.empty() && pod.node_name.empty()) {
    reader.Complain(
        "containers",
        "gives cards although the pod has no node; give the node, or leave the cards out");
  }
  return true;
}

bool PodTable::CheckCards(program::MapReader& reader, const model::PodDemand& demand,
                          const model::Inventory& inventory, const Cards& cards) const {
  const int last = static_cast<int>(inventory.cards.size()) - 1;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const model::ContainerDemand& asked = demand.containers[i];
    std::vector<int> sorted = cards[i];
    std::sort(sorted.begin(), sorted.end());
    const bool different = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    if (static_cast<int>(sorted.size()) != asked.cards || !different || sorted.back() > last) {
      reader.Complain("containers", "gives \"" + asked.name + "\" no such cards; give " +
                                        std::to_string(asked.cards) +
                                        " different indices from 0 to " + std::to_string(last));
      return false;
    }
  }
  return true;
}

// Adds the pod's peak to what is taken of each card, or reports the card that has no room for it.
bool PodTable::TakeCards(program::MapReader& reader, const model::Pod& pod,
                         const model::PodDemand& demand, const model::Inventory& inventory,
                         const Cards& cards) {
  std::vector<std::int64_t> card_mib;
  for (const model::Card& card : inventory.cards) {
    card_mib.push_back(card.mib);
  }
  const std::vector<model::CardUse> peak = model::PeakUse(demand, cards, card_mib);
  std::vector<model::CardUse>& taken = taken_[pod.node_name];
  taken.resize(card_mib.size());
  for (std::size_t i = 0; i < peak.size(); ++i) {
    taken[i].core += peak[i].core;
    taken[i].mib += peak[i].mib;
    if (peak[i].pods > 0 && (taken[i].core > model::kWholeCardCore || taken[i].mib > card_mib[i])) {
      reader.Complain("containers", "takes more of card " + std::to_string(i) + " of \"" +
                                        pod.node_name + "\" than earlier pods left: together " +
                                        std::to_string(taken[i].core) + " % and " +
                                        std::to_string(taken[i].mib) + " of " +
                                        std::to_string(card_mib[i]) + " MiB; choose another card");
      return false;
    }
  }
  return true;
}

// Writes the record that Aliquot would have written when it bound this pod. The file has no time,
// so the record says the epoch.
void PodTable::Record(program::MapReader& reader, model::Pod& pod, const model::PodDemand& demand,
                      const Cards& cards) {
  const auto inventory = nodes_.CardsOf(pod.node_name);
  if (!CheckCards(reader, demand, *inventory, cards) ||
      (!pod.finished() && !TakeCards(reader, pod, demand, *inventory, cards))) {
    return;
  }
  const std::vector<std::vector<int>>& minors = cards;  // the indices of a made node
  const auto record =
      extender::AllocationAnnotations(AllocationOf(pod, demand, *inventory, cards), demand, minors,
                                      SystemTime{}, extender::AnnotationOptions{});
  if (!record.ok()) {
    return reader.Complain("containers", record.status().message());
  }
  for (const auto& [key, text] : *record) {
    pod.annotations[key] = text;
  }
}

}  // namespace aliquot::allocator
