// SPDX-License-Identifier: Apache-2.0
#include "cli/topology_svg.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "cli/fabric_tree.h"
#include "cli/svg.h"

namespace aliquot::cli {
namespace {

using topology::Fabric;
using topology::VertexKind;

constexpr double kColumn = 76;
constexpr double kBoxWidth = 64;
constexpr double kBoxHeight = 30;
constexpr double kLevel = 58;
constexpr double kMargin = 20;
constexpr double kSwitchRow = 44;

std::string Counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

// Where each vertex stands: a leaf in its column, all else in the middle of what hangs below it.
class Layout {
 public:
  explicit Layout(const Fabric& fabric)
      : tree_(TreeOf(fabric)), x_(fabric.vertices.size(), 0), level_(fabric.vertices.size(), 0) {
    for (const int root : tree_.roots) {
      Place(root);
    }
  }

  const FabricTree& tree() const { return tree_; }
  double x(int vertex) const { return x_[static_cast<std::size_t>(vertex)]; }
  // 0 for leaves, one more than the highest below for others.
  int level(int vertex) const { return level_[static_cast<std::size_t>(vertex)]; }
  double width() const { return 2 * kMargin + kColumn * columns_; }
  int levels() const { return *std::max_element(level_.begin(), level_.end()); }

 private:
  // Children before parents: the order of discovery, backwards.
  void Place(int root) {
    std::vector<int> order;
    std::vector<int> waiting = {root};
    while (!waiting.empty()) {
      const int vertex = waiting.back();
      waiting.pop_back();
      order.push_back(vertex);
      const auto& children = tree_.children[static_cast<std::size_t>(vertex)];
      waiting.insert(waiting.end(), children.rbegin(), children.rend());
    }
    for (const int vertex : order) {
      if (tree_.children[static_cast<std::size_t>(vertex)].empty()) {
        x_[static_cast<std::size_t>(vertex)] = kMargin + kColumn * (columns_ + 0.5);
        ++columns_;
      }
    }
    for (auto vertex = order.rbegin(); vertex != order.rend(); ++vertex) {
      const auto& children = tree_.children[static_cast<std::size_t>(*vertex)];
      if (children.empty()) {
        continue;
      }
      double low = 1e9;
      double high = 0;
      int level = 0;
      for (const int child : children) {
        low = std::min(low, x(child));
        high = std::max(high, x(child));
        level = std::max(level, this->level(child));
      }
      x_[static_cast<std::size_t>(*vertex)] = (low + high) / 2;
      level_[static_cast<std::size_t>(*vertex)] = level + 1;
    }
  }

  const FabricTree tree_;
  std::vector<double> x_;
  std::vector<int> level_;
  int columns_ = 0;
};

SvgStyle StyleOf(VertexKind kind) {
  switch (kind) {
    case VertexKind::kCard:
      return SvgStyle::kCard;
    case VertexKind::kNic:
      return SvgStyle::kNic;
    case VertexKind::kPcieSwitch:
    case VertexKind::kNvSwitch:
      return SvgStyle::kSwitch;
    case VertexKind::kHostBridge:
    case VertexKind::kNumaNode:
      break;
  }
  return SvgStyle::kBox;
}

class Drawing {
 public:
  Drawing(const topology::NodeTopology& topology, std::string_view title)
      : fabric_(topology.graph().fabric()),
        layout_(fabric_),
        arcs_(ArcHeight()),
        top_(kMargin + 20 + arcs_ + kSwitchRow * static_cast<double>(switches())),
        picture_(std::max(layout_.width(), 320.0), top_ + kLevel * (layout_.levels() + 1) + kMargin,
                 title) {
    picture_.Text(kMargin, kMargin + 4, title, SvgAnchor::kStart, 14);
  }

  std::string Draw(topology::CardSet chosen) {
    DrawNvlinks();
    for (std::size_t i = 0; i < layout_.tree().children.size(); ++i) {
      for (const int child : layout_.tree().children[i]) {
        const int parent = static_cast<int>(i);
        picture_.Line(layout_.x(child), Y(child) + kBoxHeight, layout_.x(parent), Y(parent),
                      SvgStyle::kWire);
      }
    }
    for (std::size_t i = 0; i < fabric_.vertices.size(); ++i) {
      if (fabric_.vertices[i].kind != VertexKind::kNvSwitch) {
        DrawVertex(static_cast<int>(i), chosen);
      }
    }
    return picture_.Finish();
  }

 private:
  std::size_t switches() const { return layout_.tree().nvswitches.size(); }
  double Y(int vertex) const { return top_ + kLevel * layout_.level(vertex); }

  // Direct NVLinks are arcs above the cards; the longest is the highest.
  double ArcHeight() const {
    double highest = 0;
    for (const topology::Wire& wire : fabric_.wires) {
      if (IsDirectNvlink(wire)) {
        highest = std::max(highest, HeightOf(wire));
      }
    }
    return highest;
  }
  bool IsDirectNvlink(const topology::Wire& wire) const {
    return wire.link.link_class == topology::LinkClass::kNvlink &&
           KindOf(wire.a) == VertexKind::kCard && KindOf(wire.b) == VertexKind::kCard;
  }
  VertexKind KindOf(int vertex) const {
    return fabric_.vertices[static_cast<std::size_t>(vertex)].kind;
  }
  double HeightOf(const topology::Wire& wire) const {
    return 12 + std::abs(layout_.x(wire.a) - layout_.x(wire.b)) * 0.16;
  }

  void DrawNvlinks() {
    for (const topology::Wire& wire : fabric_.wires) {
      if (IsDirectNvlink(wire)) {
        picture_.Arc(layout_.x(wire.a), top_, layout_.x(wire.b), top_, HeightOf(wire),
                     SvgStyle::kFastWire, std::min(1 + wire.link.nvlinks, 5));
      }
    }
    for (std::size_t i = 0; i < switches(); ++i) {
      const int nvswitch = layout_.tree().nvswitches[i];
      const double y = kMargin + 20 + kSwitchRow * static_cast<double>(i);
      for (const topology::Wire& wire : fabric_.wires) {
        if (wire.a == nvswitch || wire.b == nvswitch) {
          const int card = wire.a == nvswitch ? wire.b : wire.a;
          picture_.Line(layout_.x(card), y + kBoxHeight, layout_.x(card), top_, SvgStyle::kFastWire,
                        3);
        }
      }
      picture_.Box(kMargin, y, layout_.width() - 2 * kMargin, kBoxHeight, SvgStyle::kSwitch);
      picture_.Text(layout_.width() / 2, y + 20, NameOf(nvswitch), SvgAnchor::kMiddle);
    }
  }

  void DrawVertex(int vertex, topology::CardSet chosen) {
    const topology::Vertex& what = fabric_.vertices[static_cast<std::size_t>(vertex)];
    const std::string name = NameOf(vertex);
    const double width = std::max(kBoxWidth, 7.2 * static_cast<double>(name.size()) + 8);
    const double drawn = layout_.level(vertex) == 0 ? kBoxWidth : width;
    const double x = layout_.x(vertex);
    if (what.kind == VertexKind::kCard && topology::Holds(chosen, what.index)) {
      picture_.Box(x - drawn / 2 - 4, Y(vertex) - 4, drawn + 8, kBoxHeight + 8, SvgStyle::kFrame);
    }
    picture_.Box(x - drawn / 2, Y(vertex), drawn, kBoxHeight, StyleOf(what.kind));
    picture_.Text(x, Y(vertex) + 20, name, SvgAnchor::kMiddle);
  }

  std::string NameOf(int vertex) const {
    return Printable(fabric_.vertices[static_cast<std::size_t>(vertex)].name, 24);
  }

  const Fabric& fabric_;
  const Layout layout_;
  const double arcs_;
  const double top_;
  SvgPicture picture_;
};

}  // namespace

std::string DrawTopologySvg(const topology::Description& description,
                            const topology::NodeTopology& topology, std::string_view title,
                            topology::CardSet chosen) {
  std::string full = Printable(title) + ": " + Counted(description.cards.size(), "card");
  if (!description.nics.empty()) {
    full += ", " + Counted(description.nics.size(), "NIC");
  }
  return Drawing(topology, full).Draw(chosen);
}

}  // namespace aliquot::cli
