// SPDX-License-Identifier: Apache-2.0
#include "cli/topology_text.h"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/fabric_tree.h"
#include "simulate/text_table.h"
#include "topology/link.h"

namespace aliquot::cli {
namespace {

using topology::Description;
using topology::Fabric;
using topology::NodeTopology;
using topology::VertexKind;

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string NameOf(const topology::Vertex& vertex) { return Printable(vertex.name); }

// "NV12 to GPU1 GPU2, NV1 to GPU3": the NVLinks of one card, by kind.
std::string NvlinksOf(const Description& description, const NodeTopology& topology, int card) {
  std::map<std::string, std::vector<std::string>> by_kind;
  for (int other = 0; other < topology.card_count(); ++other) {
    if (other != card && topology.IsNvlink(card, other)) {
      by_kind[topology::FormatLink(topology.link(card, other))].push_back(
          Printable(description.cards[static_cast<std::size_t>(other)].name));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [kind, others] : by_kind) {
    parts.push_back(kind + " to " + Join(others, " "));
  }
  return Join(parts, ", ");
}

class TreeText {
 public:
  TreeText(const Description& description, const NodeTopology& topology)
      : description_(description),
        topology_(topology),
        fabric_(topology.graph().fabric()),
        tree_(TreeOf(fabric_)) {}

  std::string Draw() {
    struct Pending {
      int vertex;
      std::string prefix;  // of the lines below it
      std::string branch;  // of its own line
    };
    std::vector<Pending> waiting;
    for (std::size_t i = tree_.roots.size(); i > 0; --i) {
      waiting.push_back({tree_.roots[i - 1], "", ""});
    }
    while (!waiting.empty()) {
      const Pending now = std::move(waiting.back());
      waiting.pop_back();
      text_ += now.branch + Label(now.vertex) + "\n";
      const std::vector<int>& children = tree_.children[static_cast<std::size_t>(now.vertex)];
      for (std::size_t i = children.size(); i > 0; --i) {
        const bool last = i == children.size();
        waiting.push_back({children[i - 1], now.prefix + (last ? "   " : "|  "),
                           now.prefix + (last ? "`- " : "|- ")});
      }
    }
    for (const int nvswitch : tree_.nvswitches) {
      text_ += NvSwitchLine(nvswitch);
    }
    return std::move(text_);
  }

 private:
  std::string Label(int at) const {
    const topology::Vertex& vertex = fabric_.vertices[static_cast<std::size_t>(at)];
    if (vertex.kind != VertexKind::kCard) {
      return NameOf(vertex);
    }
    const std::string nvlinks = NvlinksOf(description_, topology_, vertex.index);
    const std::string& model = description_.cards[static_cast<std::size_t>(vertex.index)].model;
    return NameOf(vertex) + (model.empty() ? "" : " " + Printable(model)) +
           (nvlinks.empty() ? "" : "  " + nvlinks);
  }

  std::string NvSwitchLine(int nvswitch) const {
    std::vector<std::string> names;
    for (const topology::Wire& wire : fabric_.wires) {
      if (wire.a == nvswitch || wire.b == nvswitch) {
        const int other = wire.a == nvswitch ? wire.b : wire.a;
        names.push_back(NameOf(fabric_.vertices[static_cast<std::size_t>(other)]));
      }
    }
    return NameOf(fabric_.vertices[static_cast<std::size_t>(nvswitch)]) + ": " + Join(names, " ") +
           "\n";
  }

  const Description& description_;
  const NodeTopology& topology_;
  const Fabric& fabric_;
  const FabricTree tree_;
  std::string text_;
};

std::string MatrixText(const Description& description, const NodeTopology& topology) {
  std::vector<std::string> header = {""};
  for (const auto& card : description.cards) {
    header.push_back(Printable(card.name));
  }
  header.emplace_back("NUMA");
  simulate::TextTable table(header);
  for (int a = 0; a < topology.card_count(); ++a) {
    std::vector<std::string> row = {Printable(description.cards[static_cast<std::size_t>(a)].name)};
    for (int b = 0; b < topology.card_count(); ++b) {
      if (a == b) {
        row.emplace_back("X");
      } else {
        const topology::Link& link = topology.link(a, b);
        row.push_back(topology::FormatLink(link) + " " + std::to_string(link.gbps));
      }
    }
    row.push_back(topology.numa(a) < 0 ? "-" : std::to_string(topology.numa(a)));
    table.Add(std::move(row));
  }
  return table.Text();
}

}  // namespace

std::string DrawTopologyText(const Description& description, const NodeTopology& topology) {
  std::string text = Counted(description.cards.size(), "card");
  if (!description.nics.empty()) {
    text += ", " + Counted(description.nics.size(), "NIC");
  }
  text += " (" + description.format + ")\n\n";
  text += TreeText(description, topology).Draw();
  text += "\nlink of each pair, GB/s one way\n" + MatrixText(description, topology);
  for (const std::string& note : description.notes) {
    text += "note: " + note + "\n";
  }
  return text;
}

}  // namespace aliquot::cli
