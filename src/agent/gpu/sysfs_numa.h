// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace aliquot::agent {

// The NUMA nodes that have CPUs. On Grace machines a GPU's memory is a node of its own, without
// CPUs, and dozens of empty nodes are reserved for it: none of them says where a card sits.
// Plain value.
struct NumaNodes {
  std::map<int, std::set<int>> cpus;  // node -> its CPUs; only nodes with some
};

// From sysfs below `root` ("/sys"); empty when it does not say.
NumaNodes ReadNumaNodes(const std::string& root);

// "0,3-9,11" as numbers; nothing for other text or numbers past 65535. "" is an empty set. Pure.
std::optional<std::set<int>> ParseCpuList(std::string_view text);

// The one node that all of these CPUs are of; -1 when they are of several or of none. Pure.
int NodeOfCpus(const NumaNodes& nodes, const std::set<int>& cpus);

}  // namespace aliquot::agent
