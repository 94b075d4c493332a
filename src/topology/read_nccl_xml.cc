// SPDX-License-Identifier: Apache-2.0
#include "topology/read_nccl_xml.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "topology/card_set.h"
#include "topology/nccl_element.h"
#include "topology/nccl_links.h"
#include "topology/nccl_speeds.h"
#include "topology/source_text.h"

namespace aliquot::topology {
namespace {

constexpr int kLocalGbps = 5000;  // NCCL's LOC_BW: within one processor, no limit
constexpr int kMaxDepth = 32;
constexpr std::size_t kMaxVertices = 1024;
constexpr std::size_t kMaxProcessors = 128;
constexpr std::int64_t kMaxNumaId = 4095;
constexpr std::int64_t kMaxLanes = 32;

Link LinkWith(LinkClass link_class, int gbps) {
  Link link = MakeLink(link_class);
  link.gbps = std::min(gbps, kMaxPairGbps);
  return link;
}

class NcclXmlReader {
 public:
  explicit NcclXmlReader(const SourceText& source) : source_(source) {}

  Result<Description> Read();

 private:
  struct FoundProcessor {
    Processor of;
    int numa = -1;
    int numa_vertex = 0;
    int host_bridge = 0;
  };
  // Where in the tree a <pci> hangs.
  struct Place {
    int vertex = 0;
    pugi::xml_node pci;  // the switch above; empty at the host bridge
    int depth = 0;
  };

  Status Refuse(const pugi::xml_node& node, std::string_view what) const {
    return RefuseElement(source_, node, what);
  }
  Result<pugi::xml_node> FindSystem(const pugi::xml_document& document,
                                    const pugi::xml_parse_result& parsed) const;
  Status AddProcessor(const pugi::xml_node& cpu);
  Status AddChildren(const pugi::xml_node& node, const Place& place);
  Status AddPci(const pugi::xml_node& pci, const Place& place);
  Status AddCard(const pugi::xml_node& pci, const Place& place, const Link& wire);
  Status AddNic(const pugi::xml_node& nic, const Place& place, const Link& wire,
                std::string bus_id);
  void ConnectProcessors();
  Status OrderCards();

  const SourceText& source_;
  Description description_;
  std::vector<FoundProcessor> processors_;
  std::vector<NcclCard> cards_;
  std::string host_;
  int switches_ = 0;
  int unknown_devices_ = 0;
};

Result<pugi::xml_node> NcclXmlReader::FindSystem(const pugi::xml_document& document,
                                                 const pugi::xml_parse_result& parsed) const {
  if (!parsed) {
    return source_.Refuse(
        source_.LineAt(parsed.offset),
        std::string("is not XML (") + parsed.description() + "); give NCCL's topology file whole");
  }
  const pugi::xml_node root = document.document_element();
  const std::string_view name = root.name();
  if (name == "graphs") {
    return Refuse(root,
                  "holds <graphs>, the rings that NCCL chose and no topology; dump the topology "
                  "with NCCL_TOPO_DUMP_FILE");
  }
  if (name != "system") {
    return Refuse(root, "begins with <" + Printable(name, 40) +
                            ">; NCCL's topology file begins with <system>");
  }
  if (root.next_sibling("system")) {
    return Refuse(root.next_sibling("system"), "is a second <system>; give one node a file");
  }
  if (WholeNumber(root, "version", 0, INT32_MAX, 1) != std::int64_t{1}) {
    return Refuse(root, "has version \"" + Printable(root.attribute("version").as_string(), 16) +
                            "\"; this program reads version 1");
  }
  return root;
}

Result<Description> NcclXmlReader::Read() {
  pugi::xml_document document;
  const pugi::xml_parse_result parsed = document.load_buffer(
      source_.text().data(), source_.text().size(), pugi::parse_default, pugi::encoding_utf8);
  const Result<pugi::xml_node> system = FindSystem(document, parsed);
  if (!system.ok()) {
    return system.status();
  }
  description_.format = "NCCL topology";
  Status status;
  for (const pugi::xml_node& cpu : system->children("cpu")) {
    status = status.ok() ? AddProcessor(cpu) : status;
  }
  if (status.ok() && processors_.empty()) {
    status = Refuse(*system, "has no <cpu>; dump the topology with NCCL_TOPO_DUMP_FILE");
  }
  ConnectProcessors();
  status = status.ok() ? OrderCards() : status;
  status = status.ok() ? AddNcclLinks(source_, cards_, description_) : status;
  if (!status.ok()) {
    return status;
  }
  if (unknown_devices_ > 0) {
    description_.notes.push_back(std::to_string(unknown_devices_) +
                                 " PCI devices have no class, so they are not taken as GPUs");
  }
  return std::move(description_);
}

Status NcclXmlReader::AddProcessor(const pugi::xml_node& cpu) {
  const std::string host = cpu.attribute("host_hash").as_string();
  if (!processors_.empty() && host != host_) {
    return Refuse(cpu, "is of another host; give the topology of one node");
  }
  if (processors_.size() == kMaxProcessors) {
    return Refuse(cpu, "is one <cpu> too many; at most 128 are supported");
  }
  host_ = host;
  const auto numa = WholeNumber(cpu, "numaid", -1, kMaxNumaId, -1);
  const auto family = WholeNumber(cpu, "familyid", INT32_MIN, INT32_MAX, -1);
  const auto model = WholeNumber(cpu, "modelid", INT32_MIN, INT32_MAX, -1);
  if (!numa || !family || !model) {
    const char* wrong = !numa ? "numaid" : !family ? "familyid" : "modelid";
    return Refuse(cpu, std::string("has the ") + wrong + " \"" +
                           Printable(cpu.attribute(wrong).as_string(), 16) +
                           "\"; give a whole number");
  }
  FoundProcessor found;
  found.of = {cpu.attribute("arch").as_string(), cpu.attribute("vendor").as_string(),
              static_cast<int>(*family), static_cast<int>(*model)};
  found.numa = static_cast<int>(*numa);
  Fabric& fabric = description_.fabric;
  found.numa_vertex =
      fabric.Add(VertexKind::kNumaNode, found.numa,
                 "NUMA node " + (found.numa < 0 ? "unknown" : std::to_string(found.numa)));
  const auto number = static_cast<int>(processors_.size());
  found.host_bridge =
      fabric.Add(VertexKind::kHostBridge, number, "host bridge " + std::to_string(number));
  fabric.Connect(found.host_bridge, found.numa_vertex, LinkWith(LinkClass::kNode, kLocalGbps));
  processors_.push_back(found);
  return AddChildren(cpu, {found.host_bridge, pugi::xml_node(), 0});
}

Status NcclXmlReader::AddChildren(const pugi::xml_node& node, const Place& place) {
  for (const pugi::xml_node& child : node.children()) {
    const std::string_view name = child.name();
    Status status;
    if (name == "pci") {
      status = AddPci(child, place);
    } else if (name == "nic" && !place.pci) {
      status = AddNic(child, place, LinkWith(LinkClass::kPhb, kLocalGbps), "");
    }
    if (!status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

Status NcclXmlReader::AddPci(const pugi::xml_node& pci, const Place& place) {
  if (place.depth == kMaxDepth || description_.fabric.vertices.size() >= kMaxVertices) {
    return Refuse(pci, place.depth == kMaxDepth ? "is nested too deep; at most 32 <pci> deep"
                                                : "is one device too many; at most 1024");
  }
  const auto width = WholeNumber(pci, "link_width", 0, kMaxLanes, 0);
  if (!width) {
    return Refuse(pci, "has the link_width \"" +
                           Printable(pci.attribute("link_width").as_string(), 16) +
                           "\"; give the number of lanes, 0 to 32");
  }
  const PciKind kind = KindOfPci(pci);
  if (kind == PciKind::kSwitch && place.pci && IsOneSwitch(place.pci, pci)) {
    return AddChildren(pci, {place.vertex, place.pci, place.depth + 1});
  }
  const int gbps = PcieGbps(pci.attribute("link_speed").as_string(), static_cast<int>(*width));
  const LinkClass link_class = !place.pci                 ? LinkClass::kPhb
                               : kind == PciKind::kSwitch ? LinkClass::kPxb
                                                          : LinkClass::kPix;
  const Link wire =
      LinkWith(link_class, place.pci ? gbps : PeerGbpsThroughHost(processors_.back().of, gbps));
  switch (kind) {
    case PciKind::kGpu:
      return AddCard(pci, place, wire);
    case PciKind::kNic:
      return AddNic(pci.child("nic"), place, wire, BusId(pci, "busid"));
    case PciKind::kSwitch: {
      const int vertex =
          description_.fabric.Add(VertexKind::kPcieSwitch, switches_++, BusId(pci, "busid"));
      description_.fabric.Connect(vertex, place.vertex, wire);
      return AddChildren(pci, {vertex, pci, place.depth + 1});
    }
    case PciKind::kUnknown:
      ++unknown_devices_;
      break;
    case PciKind::kOther:
      break;
  }
  return Status::Ok();
}

Status NcclXmlReader::AddCard(const pugi::xml_node& pci, const Place& place, const Link& wire) {
  if (cards_.size() == static_cast<std::size_t>(kMaxCards)) {
    return Refuse(pci, "is GPU 65; at most 64 of one node are supported");
  }
  NcclCard card;
  card.pci = pci;
  card.bus_id = BusId(pci, "busid");
  const auto same = std::find_if(cards_.begin(), cards_.end(), [&card](const NcclCard& other) {
    return other.bus_id == card.bus_id;
  });
  if (card.bus_id.empty() || same != cards_.end()) {
    return Refuse(pci, "is a GPU with the busid \"" + Printable(card.bus_id, 24) +
                           "\"; give each GPU its own");
  }
  const auto dev = WholeNumber(pci.child("gpu"), "dev", -1, INT32_MAX, -1);
  if (!dev) {
    return Refuse(pci.child("gpu"),
                  "has the dev \"" + Printable(pci.child("gpu").attribute("dev").as_string(), 16) +
                      "\"; give the GPU's number");
  }
  card.dev = *dev;
  card.numa = processors_.back().numa;
  card.numa_vertex = processors_.back().numa_vertex;
  card.vertex = description_.fabric.Add(VertexKind::kCard, 0, "");
  description_.fabric.Connect(card.vertex, place.vertex, wire);
  cards_.push_back(card);
  return Status::Ok();
}

// Ports of one PCI device are one NIC, as in NCCL.
Status NcclXmlReader::AddNic(const pugi::xml_node& nic, const Place& place, const Link& wire,
                             std::string bus_id) {
  if (description_.nics.size() == kMaxNics) {
    return Refuse(nic,
                  "is one NIC too many; at most " + std::to_string(kMaxNics) + " are supported");
  }
  const auto number = static_cast<int>(description_.nics.size());
  DescribedNic described;
  described.name = Printable(nic.child("net").attribute("name").as_string(), 64);
  if (described.name.empty()) {
    described.name = "NIC" + std::to_string(number);
  }
  described.pci = std::move(bus_id);
  described.numa = processors_.back().numa;
  const int vertex = description_.fabric.Add(VertexKind::kNic, number, described.name);
  description_.fabric.Connect(vertex, place.vertex, wire);
  description_.nics.push_back(std::move(described));
  return Status::Ok();
}

void NcclXmlReader::ConnectProcessors() {
  for (std::size_t a = 0; a < processors_.size(); ++a) {
    for (std::size_t b = a + 1; b < processors_.size(); ++b) {
      const int gbps =
          std::min(InterSocketGbps(processors_[a].of), InterSocketGbps(processors_[b].of));
      description_.fabric.Connect(processors_[a].numa_vertex, processors_[b].numa_vertex,
                                  LinkWith(LinkClass::kSys, gbps));
    }
  }
}

Status NcclXmlReader::OrderCards() {
  const bool by_dev =
      std::all_of(cards_.begin(), cards_.end(), [](const NcclCard& card) { return card.dev >= 0; });
  std::stable_sort(cards_.begin(), cards_.end(), [by_dev](const auto& a, const auto& b) {
    return by_dev ? a.dev < b.dev : a.bus_id < b.bus_id;
  });
  for (std::size_t i = 0; i < cards_.size(); ++i) {
    if (by_dev && i > 0 && cards_[i].dev == cards_[i - 1].dev) {
      return Refuse(cards_[i].pci, "has the dev " + std::to_string(cards_[i].dev) +
                                       " of another GPU; give the topology of one node");
    }
    Vertex& vertex = description_.fabric.vertices[static_cast<std::size_t>(cards_[i].vertex)];
    vertex.index = static_cast<int>(i);
    vertex.name = "GPU" + std::to_string(i);
    description_.cards.push_back({vertex.name, "", cards_[i].bus_id, cards_[i].numa});
  }
  return Status::Ok();
}

}  // namespace

Result<Description> ReadNcclXml(std::string_view text, std::string_view file) {
  const Result<SourceText> source = SourceText::Create(text, file);
  if (!source.ok()) {
    return source.status();
  }
  const std::size_t declared =
      std::min(source->text().find("<!DOCTYPE"), source->text().find("<!ENTITY"));
  if (declared != std::string_view::npos) {
    return source->Refuse(
        source->LineAt(static_cast<std::ptrdiff_t>(declared)),
        "has a document type; remove it, since nothing outside of the file is read");
  }
  return NcclXmlReader(*source).Read();
}

}  // namespace aliquot::topology
