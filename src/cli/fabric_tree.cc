// SPDX-License-Identifier: Apache-2.0
#include "cli/fabric_tree.h"

#include <algorithm>
#include <cstddef>

namespace aliquot::cli {
namespace {

using topology::Fabric;
using topology::VertexKind;
using topology::Wire;

// The order from the top down; NVSwitches are no part of the tree.
int Depth(VertexKind kind) {
  switch (kind) {
    case VertexKind::kNumaNode:
      return 0;
    case VertexKind::kHostBridge:
      return 1;
    case VertexKind::kPcieSwitch:
      return 2;
    case VertexKind::kCard:
    case VertexKind::kNic:
      return 3;
    case VertexKind::kNvSwitch:
      break;
  }
  return 4;
}

class Builder {
 public:
  explicit Builder(const Fabric& fabric)
      : fabric_(fabric),
        placed_(fabric.vertices.size(), false),
        wires_of_(fabric.vertices.size()),
        shown_(fabric.wires.size(), false) {
    tree_.children.resize(fabric.vertices.size());
    for (std::size_t i = 0; i < fabric.wires.size(); ++i) {
      wires_of_[At(fabric.wires[i].a)].push_back(i);
      wires_of_[At(fabric.wires[i].b)].push_back(i);
    }
  }

  FabricTree Build() {
    std::vector<int> order;
    for (std::size_t i = 0; i < fabric_.vertices.size(); ++i) {
      order.push_back(static_cast<int>(i));
    }
    std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
      const auto& one = fabric_.vertices[At(a)];
      const auto& two = fabric_.vertices[At(b)];
      return Depth(one.kind) != Depth(two.kind) ? Depth(one.kind) < Depth(two.kind)
                                                : one.index < two.index;
    });
    for (const int vertex : order) {
      if (fabric_.vertices[At(vertex)].kind == VertexKind::kNvSwitch) {
        tree_.nvswitches.push_back(vertex);
      } else if (!placed_[At(vertex)]) {
        tree_.roots.push_back(vertex);
        Hang(vertex);
      }
    }
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      if (!shown_[i]) {
        tree_.other_wires.push_back(static_cast<int>(i));
      }
    }
    return std::move(tree_);
  }

 private:
  static std::size_t At(int vertex) { return static_cast<std::size_t>(vertex); }

  // Everything that hangs below `top`, without recursion: fabrics come from files.
  void Hang(int top) {
    std::vector<int> waiting = {top};
    placed_[At(top)] = true;
    while (!waiting.empty()) {
      const int vertex = waiting.back();
      waiting.pop_back();
      for (const std::size_t i : wires_of_[At(vertex)]) {
        const Wire& wire = fabric_.wires[i];
        const int other = wire.a == vertex ? wire.b : wire.a;
        if (!placed_[At(other)] && IsBelow(vertex, other) &&
            wire.link.link_class != topology::LinkClass::kNvlink) {
          placed_[At(other)] = true;
          shown_[i] = true;
          tree_.children[At(vertex)].push_back(other);
          waiting.push_back(other);
        }
      }
    }
  }

  // Switches may hang on switches; all else only on what stands above it.
  bool IsBelow(int vertex, int other) const {
    const VertexKind above = fabric_.vertices[At(vertex)].kind;
    const VertexKind below = fabric_.vertices[At(other)].kind;
    if (below == VertexKind::kNvSwitch) {
      return false;
    }
    const bool switches = above == VertexKind::kPcieSwitch && below == VertexKind::kPcieSwitch;
    return switches || Depth(below) > Depth(above);
  }

  const Fabric& fabric_;
  FabricTree tree_;
  std::vector<bool> placed_;                        // by vertex
  std::vector<std::vector<std::size_t>> wires_of_;  // by vertex
  std::vector<bool> shown_;                         // by wire
};

}  // namespace

FabricTree TreeOf(const Fabric& fabric) { return Builder(fabric).Build(); }

}  // namespace aliquot::cli
