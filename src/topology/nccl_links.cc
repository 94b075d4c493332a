// SPDX-License-Identifier: Apache-2.0
#include "topology/nccl_links.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/strings.h"

namespace aliquot::topology {
namespace {

Link LinkWith(LinkClass link_class, int gbps) {
  Link link = MakeLink(link_class);
  link.gbps = gbps;
  return link;
}

class NcclLinks {
 public:
  NcclLinks(const SourceText& source, const std::vector<NcclCard>& cards, Description& description)
      : source_(source), cards_(cards), description_(description) {}

  Status Add();

 private:
  Status Refuse(const pugi::xml_node& node, std::string_view what) const {
    return RefuseElement(source_, node, what);
  }
  Status AddNvlink(std::size_t card, const pugi::xml_node& nvlink, int count);
  Status Connect();
  Status AddC2c(const NcclCard& card);

  const SourceText& source_;
  const std::vector<NcclCard>& cards_;
  Description& description_;
  int strange_ = 0;
  std::map<std::pair<std::size_t, std::size_t>, int> direct_;  // NVLinks from a card to another
  std::map<std::size_t, int> switched_;                        // NVLinks of a card to NVSwitches
};

Status NcclLinks::Add() {
  for (std::size_t card = 0; card < cards_.size(); ++card) {
    const pugi::xml_node gpu = cards_[card].pci.child("gpu");
    for (const pugi::xml_node& nvlink : gpu.children("nvlink")) {
      const auto count = WholeNumber(nvlink, "count", 1, kMaxNvlinks, 1);
      if (!count) {
        return Refuse(nvlink,
                      "has the count \"" + Printable(nvlink.attribute("count").as_string(), 16) +
                          "\"; give the number of NVLinks, 1 to " + std::to_string(kMaxNvlinks));
      }
      Status added = AddNvlink(card, nvlink, static_cast<int>(*count));
      if (!added.ok()) {
        return added;
      }
    }
    Status added = AddC2c(cards_[card]);
    if (!added.ok()) {
      return added;
    }
  }
  if (strange_ > 0) {
    description_.notes.push_back(std::to_string(strange_) +
                                 " <nvlink> lead to the GPU itself or to a device that is not in "
                                 "the file, and are left out");
  }
  return Connect();
}

Status NcclLinks::AddNvlink(std::size_t card, const pugi::xml_node& nvlink, int count) {
  const std::string_view target_class = nvlink.attribute("tclass").as_string();
  int* links = nullptr;
  if (StartsWith(target_class, "0x068001")) {
    // IBM's bridge: NVLink to the processor. Two cards meet there as at a host bridge.
    description_.fabric.Connect(cards_[card].vertex, cards_[card].numa_vertex,
                                LinkWith(LinkClass::kPhb, count * kNvlinkGbps));
    return Status::Ok();
  }
  if (StartsWith(target_class, "0x03")) {
    const std::string target = BusId(nvlink, "target");
    const auto other = std::find_if(cards_.begin(), cards_.end(),
                                    [&target](const auto& each) { return each.bus_id == target; });
    const auto index = static_cast<std::size_t>(other - cards_.begin());
    if (other == cards_.end() || index == card) {
      ++strange_;
      return Status::Ok();
    }
    links = &direct_[{card, index}];
  } else {
    links = &switched_[card];
  }
  *links += count;
  if (*links > kMaxNvlinks) {
    return Refuse(nvlink, "brings GPU" + std::to_string(card) + " to " + std::to_string(*links) +
                              " NVLinks there; at most " + std::to_string(kMaxNvlinks) +
                              " are supported");
  }
  return Status::Ok();
}

Status NcclLinks::Connect() {
  Fabric& fabric = description_.fabric;
  for (const auto& [pair, count] : direct_) {
    const auto [a, b] = pair;
    const auto back = direct_.find({b, a});
    const int count_back = back == direct_.end() ? 0 : back->second;
    if (count != count_back) {
      return Refuse(cards_[a].pci, "GPU" + std::to_string(a) + " lists " + std::to_string(count) +
                                       " NVLinks to GPU" + std::to_string(b) + ", which lists " +
                                       std::to_string(count_back) +
                                       " back; a link is the same both ways, so correct one");
    }
    if (a < b) {
      fabric.Connect(cards_[a].vertex, cards_[b].vertex, MakeLink(LinkClass::kNvlink, count));
    }
  }
  if (!switched_.empty()) {
    const int vertex = fabric.Add(VertexKind::kNvSwitch, 0, "NVSwitch");
    for (const auto& [card, count] : switched_) {
      fabric.Connect(cards_[card].vertex, vertex, MakeLink(LinkClass::kNvlink, count));
    }
  }
  return Status::Ok();
}

// `bw` is MB/s of each of `count` links.
Status NcclLinks::AddC2c(const NcclCard& card) {
  for (const pugi::xml_node& c2c : card.pci.child("gpu").children("c2c")) {
    const auto bandwidth = WholeNumber(c2c, "bw", 0, std::int64_t{kMaxPairGbps} * 1000, 0);
    const auto count = WholeNumber(c2c, "count", 0, kMaxPairGbps, 0);
    if (!bandwidth || !count || *bandwidth * *count > std::int64_t{kMaxPairGbps} * 1000) {
      return Refuse(c2c, "has the bw \"" + Printable(c2c.attribute("bw").as_string(), 16) +
                             "\" and the count \"" +
                             Printable(c2c.attribute("count").as_string(), 16) +
                             "\"; give MB/s of one link and how many there are");
    }
    const auto gbps = static_cast<int>(*bandwidth * *count / 1000);
    if (gbps > 0) {
      description_.fabric.Connect(card.vertex, card.numa_vertex, LinkWith(LinkClass::kC2c, gbps));
    }
  }
  return Status::Ok();
}

}  // namespace

Status AddNcclLinks(const SourceText& source, const std::vector<NcclCard>& cards,
                    Description& description) {
  return NcclLinks(source, cards, description).Add();
}

}  // namespace aliquot::topology
