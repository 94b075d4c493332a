// SPDX-License-Identifier: Apache-2.0
#include "topology/infer_fabric.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aliquot::topology {
namespace {

// From the devices' own switch outwards: what a group that has this class among its members shares.
struct Level {
  LinkClass link_class;
  VertexKind kind;
  const char* name;
};
constexpr std::array<Level, 4> kLevels = {{
    {LinkClass::kPix, VertexKind::kPcieSwitch, "PCIe switch "},
    {LinkClass::kPxb, VertexKind::kPcieSwitch, "PCIe switch "},
    {LinkClass::kPhb, VertexKind::kHostBridge, "host bridge "},
    {LinkClass::kNode, VertexKind::kNumaNode, "NUMA node "},
}};
constexpr std::size_t kNumaLevel = kLevels.size() - 1;

using Groups = std::vector<int>;  // group of each device

class Inference {
 public:
  explicit Inference(const Description& description)
      : description_(description),
        cards_(description.cards.size()),
        devices_(cards_ + description.nics.size()) {}

  Fabric Run() {
    AddDevices();
    FindGroups();
    FindLevelGbps();
    AddTree();
    AddNvSwitches();
    AddDirectWires();
    return std::move(fabric_);
  }

 private:
  // What the source says of two devices; nothing for two NICs of which it says nothing.
  std::optional<Link> Between(std::size_t a, std::size_t b) const {
    if (a > b) {
      std::swap(a, b);
    }
    if (b < cards_) {
      return description_.links[PairIndex(a, b, cards_)];
    }
    if (a < cards_) {
      const DescribedNic& nic = description_.nics[b - cards_];
      return a < nic.to_cards.size() ? std::optional<Link>(nic.to_cards[a]) : std::nullopt;
    }
    if (description_.nic_links.empty()) {
      return std::nullopt;
    }
    return description_.nic_links[PairIndex(a - cards_, b - cards_, devices_ - cards_)];
  }

  // The same, but nothing too where NVLink hides how the PCIe tree links the two.
  std::optional<Link> ByPcie(std::size_t a, std::size_t b) const {
    const std::optional<Link> link = Between(a, b);
    return link && link->link_class > LinkClass::kC2c ? link : std::nullopt;
  }

  int Numa(std::size_t device) const {
    return device < cards_ ? description_.cards[device].numa
                           : description_.nics[device - cards_].numa;
  }

  void AddDevices();
  void FindGroups();
  bool Joins(std::size_t device, const std::vector<std::size_t>& members, std::size_t level) const;
  Groups Split(const Groups& outer, std::size_t level) const;
  void FindLevelGbps();
  void AddTree();
  std::size_t GroupSize(std::size_t level, std::size_t device) const;
  bool HasVertex(std::size_t level, std::size_t device) const;
  int AddGroup(std::size_t level, std::size_t device);
  void AddNvSwitches();
  void AddDirectWires();

  const Description& description_;
  const std::size_t cards_;
  const std::size_t devices_;  // cards, then NICs
  Fabric fabric_;              // devices come first, in their order
  std::array<Groups, kLevels.size()> groups_;
  std::array<int, kLevels.size() + 1> gbps_{};  // of the wires of each level; last: SYS
  std::vector<bool> switched_;                  // by pair of cards: goes through an NVSwitch
};

void Inference::AddDevices() {
  for (std::size_t i = 0; i < cards_; ++i) {
    fabric_.Add(VertexKind::kCard, static_cast<int>(i), description_.cards[i].name);
  }
  for (std::size_t i = 0; i < description_.nics.size(); ++i) {
    fabric_.Add(VertexKind::kNic, static_cast<int>(i), description_.nics[i].name);
  }
}

// A group's members are all of the level's class or better to each other, as far as is known, and
// none names another NUMA node. Two devices of which nothing is known can share a NUMA node when
// they name the same one, and nothing closer.
bool Inference::Joins(std::size_t device, const std::vector<std::size_t>& members,
                      std::size_t level) const {
  bool known = false;
  for (const std::size_t member : members) {
    const std::optional<Link> link = ByPcie(device, member);
    const bool same_numa = Numa(device) == Numa(member) && Numa(device) >= 0;
    const bool other_numa = Numa(device) >= 0 && Numa(member) >= 0 && !same_numa;
    if (other_numa || (link && link->link_class > kLevels[level].link_class)) {
      return false;
    }
    known = known || link || (same_numa && level == kNumaLevel);
  }
  return known;
}

Groups Inference::Split(const Groups& outer, std::size_t level) const {
  Groups groups(devices_, -1);
  std::vector<std::vector<std::size_t>> members;
  for (std::size_t device = 0; device < devices_; ++device) {
    for (std::size_t group = 0; group < members.size() && groups[device] < 0; ++group) {
      if (outer[members[group].front()] == outer[device] && Joins(device, members[group], level)) {
        groups[device] = static_cast<int>(group);
        members[group].push_back(device);
      }
    }
    if (groups[device] < 0) {
      groups[device] = static_cast<int>(members.size());
      members.push_back({device});
    }
  }
  return groups;
}

void Inference::FindGroups() {
  Groups outer(devices_, 0);
  for (std::size_t level = kLevels.size(); level-- > 0;) {
    groups_[level] = Split(outer, level);
    outer = groups_[level];
  }
}

// The least that the source gives a pair of the level's class, and never more than the level
// within: a path then has the figure of its outermost wires.
void Inference::FindLevelGbps() {
  int limit = std::numeric_limits<int>::max();
  for (std::size_t level = 0; level <= kLevels.size(); ++level) {
    const LinkClass link_class =
        level < kLevels.size() ? kLevels[level].link_class : LinkClass::kSys;
    int least = std::numeric_limits<int>::max();
    for (std::size_t a = 0; a < devices_; ++a) {
      for (std::size_t b = a + 1; b < devices_; ++b) {
        const std::optional<Link> link = ByPcie(a, b);
        if (link && link->link_class == link_class) {
          least = std::min(least, link->gbps);
        }
      }
    }
    if (least == std::numeric_limits<int>::max()) {
      least = MakeLink(link_class).gbps;
    }
    limit = std::min(limit, least);
    gbps_[level] = limit;
  }
}

std::size_t Inference::GroupSize(std::size_t level, std::size_t device) const {
  return static_cast<std::size_t>(
      std::count(groups_[level].begin(), groups_[level].end(), groups_[level][device]));
}

// A group gets a vertex when it joins what the groups within do not; a NUMA node always has one.
bool Inference::HasVertex(std::size_t level, std::size_t device) const {
  const std::size_t within = level == 0 ? 1 : GroupSize(level - 1, device);
  return level == kNumaLevel || GroupSize(level, device) > within;
}

int Inference::AddGroup(std::size_t level, std::size_t device) {
  const Level& of = kLevels[level];
  if (level == kNumaLevel) {
    int numa = -1;
    for (std::size_t member = 0; member < devices_; ++member) {
      numa = groups_[level][member] == groups_[level][device] ? std::max(numa, Numa(member)) : numa;
    }
    return fabric_.Add(of.kind, numa,
                       std::string(of.name) + (numa < 0 ? "unknown" : std::to_string(numa)));
  }
  const auto number = static_cast<int>(
      std::count_if(fabric_.vertices.begin(), fabric_.vertices.end(),
                    [&of](const Vertex& vertex) { return vertex.kind == of.kind; }));
  return fabric_.Add(of.kind, number, std::string(of.name) + std::to_string(number));
}

// Wires each device to its innermost group, each group to the next one out, and the NUMA nodes to
// each other.
void Inference::AddTree() {
  std::array<std::map<int, int>, kLevels.size()> vertex_of;  // by group
  std::vector<int> numa_vertices;
  for (std::size_t level = kLevels.size(); level-- > 0;) {
    for (std::size_t device = 0; device < devices_; ++device) {
      const int group = groups_[level][device];
      if (vertex_of[level].count(group) == 0 && HasVertex(level, device)) {
        vertex_of[level][group] = AddGroup(level, device);
        if (level == kNumaLevel) {
          numa_vertices.push_back(vertex_of[level][group]);
        }
      }
    }
  }
  std::vector<int> wired;  // vertices whose way out is wired
  for (std::size_t device = 0; device < devices_; ++device) {
    int at = static_cast<int>(device);
    for (std::size_t level = 0; level < kLevels.size(); ++level) {
      const auto found = vertex_of[level].find(groups_[level][device]);
      if (found == vertex_of[level].end()) {
        continue;
      }
      if (std::find(wired.begin(), wired.end(), at) != wired.end()) {
        break;
      }
      wired.push_back(at);
      Link link = MakeLink(kLevels[level].link_class);
      link.gbps = gbps_[level];
      fabric_.Connect(at, found->second, link);
      at = found->second;
    }
  }
  Link link = MakeLink(LinkClass::kSys);
  link.gbps = gbps_[kLevels.size()];
  for (std::size_t a = 0; a < numa_vertices.size(); ++a) {
    for (std::size_t b = a + 1; b < numa_vertices.size(); ++b) {
      fabric_.Connect(numa_vertices[a], numa_vertices[b], link);
    }
  }
}

// Cards that all have the same NVLinks to each other, more than a card has for direct wires.
void Inference::AddNvSwitches() {
  switched_.assign(PairCount(cards_), false);
  std::vector<bool> done(cards_, false);
  int number = 0;
  for (std::size_t first = 0; first < cards_; ++first) {
    std::vector<std::size_t> mesh = {first};
    Link link;
    for (std::size_t card = first + 1; card < cards_ && !done[first]; ++card) {
      const Link to = *Between(first, card);
      const auto alike = [&](std::size_t member) {
        const Link between = *Between(member, card);
        return between.link_class == LinkClass::kNvlink && between.nvlinks == link.nvlinks &&
               between.gbps == link.gbps;
      };
      if (mesh.size() == 1) {
        link = to;
      }
      if (!done[card] && std::all_of(mesh.begin(), mesh.end(), alike)) {
        mesh.push_back(card);
      }
    }
    if (link.nvlinks * (static_cast<int>(mesh.size()) - 1) <= kMaxNvlinksOfCard) {
      continue;
    }
    const int vertex =
        fabric_.Add(VertexKind::kNvSwitch, number, "NVSwitch " + std::to_string(number));
    ++number;
    for (const std::size_t card : mesh) {
      done[card] = true;
      fabric_.Connect(static_cast<int>(card), vertex, link);
      for (const std::size_t other : mesh) {
        if (other != card) {
          switched_[PairIndex(card, other, cards_)] = true;
        }
      }
    }
  }
}

// A wire of its own for each pair that the tree leaves worse than the source says.
void Inference::AddDirectWires() {
  for (std::size_t a = 0; a < devices_; ++a) {
    for (std::size_t b = a + 1; b < devices_; ++b) {
      const std::optional<Link> link = Between(a, b);
      if (!link || (b < cards_ && switched_[PairIndex(a, b, cards_)])) {
        continue;
      }
      std::size_t level = 0;
      while (level < kLevels.size() && groups_[level][a] != groups_[level][b]) {
        ++level;
      }
      const LinkClass by_tree =
          level < kLevels.size() ? kLevels[level].link_class : LinkClass::kSys;
      if (link->link_class < by_tree ||
          (link->link_class == by_tree && link->gbps > gbps_[level])) {
        fabric_.Connect(static_cast<int>(a), static_cast<int>(b), *link);
      }
    }
  }
}

}  // namespace

Fabric InferFabric(const Description& description) { return Inference(description).Run(); }

}  // namespace aliquot::topology
