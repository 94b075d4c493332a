// SPDX-License-Identifier: Apache-2.0
// Answers of the chooser for the checker beside this file: reads a topology file, then one request
// a line from standard input, "free count sensitive all_nvlink one_numa split_well", free being a
// mask and the others numbers. Each answer is a line of JSON: [set, cut_short, ring, pairs, numa
// nodes, remaining].
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "topology/node_topology.h"
#include "topology/read_topology.h"

namespace aliquot::topology {
namespace {

std::shared_ptr<const NodeTopology> Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(path + " cannot be read");
  }
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Result<Description> description = ReadTopology(text, path);
  if (!description.ok()) {
    throw std::runtime_error(description.status().message());
  }
  Result<std::shared_ptr<const NodeTopology>> node = NodeTopology::Create(*description);
  if (!node.ok()) {
    throw std::runtime_error(node.status().message());
  }
  return *std::move(node);
}

void Answer(const SetChooser& chooser, const SetRequest& request) {
  const SetChoice choice = chooser.Choose(request);
  const SetValue value = chooser.ValueOf(choice.set, request);
  std::cout << '[' << choice.set << ',' << choice.cut_short << ',' << value.of.ring_gbps << ','
            << value.of.total_gbps << ',' << value.of.numa_nodes << ',' << value.remaining << "]\n";
}

}  // namespace
}  // namespace aliquot::topology

int main(int argc, char** argv) {
  try {
    if (argc != 2) {
      throw std::runtime_error("usage: placement_choices TOPOLOGY-FILE < requests");
    }
    std::ios::sync_with_stdio(false);
    const auto node = aliquot::topology::Read(argv[1]);
    aliquot::topology::SetRequest request;
    while (std::cin >> request.free >> request.count >> request.sensitive >> request.all_nvlink >>
           request.one_numa >> request.split_well) {
      aliquot::topology::Answer(node->chooser(), request);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "placement_choices: " << error.what() << "\n";
    return 1;
  }
}
