// SPDX-License-Identifier: Apache-2.0
#pragma once

// The devices of one node and the wires between them, as plain lists: what readers produce and
// pictures are drawn from. Searches run on TopologyGraph. Units: GB/s one way.

#include <string>
#include <utility>
#include <vector>

#include "topology/link.h"

namespace aliquot::topology {

enum class VertexKind { kCard, kPcieSwitch, kHostBridge, kNumaNode, kNvSwitch, kNic };

struct Vertex {
  VertexKind kind = VertexKind::kCard;
  // Index of the card or NIC, id of the NUMA node (-1 unknown), else a running number of its kind.
  int index = 0;
  std::string name;  // for people: "GPU0", "NUMA node 1", a bus id
};

// A wire, usable both ways. Its class is the class of a path that has nothing worse on it.
struct Wire {
  int a = 0;  // positions in Fabric::vertices
  int b = 0;
  Link link;
};

struct Fabric {
  std::vector<Vertex> vertices;
  std::vector<Wire> wires;

  bool empty() const { return vertices.empty(); }
  // Returns the position of the new vertex.
  int Add(VertexKind kind, int index, std::string name) {
    vertices.push_back({kind, index, std::move(name)});
    return static_cast<int>(vertices.size()) - 1;
  }
  void Connect(int a, int b, const Link& link) { wires.push_back({a, b, link}); }
};

}  // namespace aliquot::topology
