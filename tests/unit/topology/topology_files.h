// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the files of tests/data/topology and says in short what a description holds.

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "topology/node_topology.h"
#include "topology/read_topology.h"

namespace aliquot::topology {

inline std::string TextOf(const std::string& path) {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/topology/" + path,
                     std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// As a user would: by the file's name without its folder.
inline Result<Description> Read(const std::string& path) {
  return ReadTopology(TextOf(path), path.substr(path.rfind('/') + 1));
}

// The sentence of a text that must be refused.
inline std::string Refusal(const Result<Description>& read) {
  EXPECT_FALSE(read.ok());
  return read.status().message();
}

// "NV2@50" and how many pairs have it.
using PairCounts = std::map<std::string, int>;

inline PairCounts CountPairs(const NodeTopology& node) {
  PairCounts counts;
  for (int a = 0; a < node.card_count(); ++a) {
    for (int b = a + 1; b < node.card_count(); ++b) {
      const Link& link = node.link(a, b);
      ++counts[FormatLink(link) + "@" + std::to_string(link.gbps)];
    }
  }
  return counts;
}

inline std::vector<int> NumaOf(const NodeTopology& node) {
  std::vector<int> numa;
  for (int card = 0; card < node.card_count(); ++card) {
    numa.push_back(node.numa(card));
  }
  return numa;
}

// The classes from every card to one NIC: "PIX,NODE".
inline std::string ToNic(const NodeTopology& node, int nic) {
  std::string classes;
  for (int card = 0; card < node.card_count(); ++card) {
    const std::optional<Path>& path = node.graph().CardToNic(card, nic);
    classes += (card == 0 ? "" : ",") + (path ? FormatLink(path->link) : std::string("-"));
  }
  return classes;
}

}  // namespace aliquot::topology
