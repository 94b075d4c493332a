// SPDX-License-Identifier: Apache-2.0
// How long one choice of cards takes, in process: every free set and size on 8 cards, random ones
// on 16 and more, of the shapes below and of each file given. Prints {"rows":[...]}
// (docs/reference/bench.md).
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "topology/node_topology.h"
#include "topology/read_topology.h"
#include "topology/set_chooser.h"

namespace aliquot::bench {
namespace {

using Clock = std::chrono::steady_clock;
using topology::CardSet;
using topology::SetChooser;
using topology::SetRequest;
using topology::SetShape;

struct NamedShape {
  std::string name;
  SetShape shape;
};

struct Kind {
  const char* name;
  bool sensitive, all_nvlink, one_numa;
};
constexpr Kind kKinds[] = {{"sensitive", true, false, false},
                           {"insensitive", false, false, false},
                           {"NVLink required", true, true, false},
                           {"one NUMA node required", true, false, true}};

constexpr std::int64_t kTargetNs8 = 5000;
constexpr std::int64_t kTargetNs16 = 1000000;
constexpr int kRandomRequests = 2000;

// Two NUMA nodes of half the cards each; `gbps(a, b)` for a < b, NVLink from 25 GB/s.
template <typename Gbps>
SetShape ShapeOf(int cards, const Gbps& gbps) {
  const auto count = static_cast<std::size_t>(cards);
  SetShape shape{std::vector<int>(count * count), {}, std::vector<CardSet>(count)};
  for (int a = 0; a < cards; ++a) {
    shape.numa.push_back(2 * a / cards);
    for (int b = 0; b < cards; ++b) {
      const int link = a == b ? 0 : gbps(std::min(a, b), std::max(a, b));
      shape.gbps[static_cast<std::size_t>(a) * count + static_cast<std::size_t>(b)] = link;
      shape.nvlink[static_cast<std::size_t>(a)] |= link >= 25 ? topology::CardBit(b) : CardSet{0};
    }
  }
  return shape;
}

std::vector<NamedShape> BuiltInShapes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<NamedShape> shapes;
  for (const int cards : {8, 16, 24}) {
    const std::string count = std::to_string(cards) + " cards, ";
    shapes.push_back({count + "all NVSwitch", ShapeOf(cards, [](int, int) { return 450; })});
    shapes.push_back({count + "pairs of NVLink", ShapeOf(cards, [&](int a, int b) {
                        return a / 2 == b / 2 ? 100 : 2 * a / cards == 2 * b / cards ? 18 : 16;
                      })});
    shapes.push_back({count + "cubes of NVLink", ShapeOf(cards, [&](int a, int b) {
                        const int apart = __builtin_popcount(static_cast<unsigned>(a ^ b));
                        return apart == 1 ? (a / 4 == b / 4 ? 50 : 25) : 16;
                      })});
    // Measured figures: hardly two alike.
    shapes.push_back({count + "random", ShapeOf(cards, [&](int, int) {
                        return static_cast<int>(10 + random() % 90);
                      })});
  }
  return shapes;
}

SetShape ShapeOfFile(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto description = topology::ReadTopology(text, path);
  if (!description.ok()) {
    throw std::runtime_error(description.status().message());
  }
  const auto node = topology::NodeTopology::Create(*description);
  if (!node.ok()) {
    throw std::runtime_error(node.status().message());
  }
  return (*node)->chooser().shape();
}

std::vector<SetRequest> RequestsOf(const SetShape& shape, const Kind& kind, unsigned seed) {
  std::vector<SetRequest> requests;
  const auto add = [&](CardSet free, int count) {
    if (count >= 1 && topology::CountOf(free) >= count) {
      requests.push_back({free, count, kind.sensitive, kind.all_nvlink, kind.one_numa});
    }
  };
  if (shape.card_count() <= 8) {
    for (CardSet free = 1; free <= shape.all(); ++free) {
      for (int count = 1; count <= shape.card_count(); ++count) {
        add(free, count);
      }
    }
    return requests;
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < kRandomRequests; ++i) {
    // Half of them with nearly all cards free: those have the most sets.
    const CardSet free = (i % 2 == 0 ? random() : random() | random() | random()) & shape.all();
    add(free, 1 + static_cast<int>(random() % static_cast<unsigned>(shape.card_count())));
  }
  return requests;
}

class Report {
 public:
  void Add(const std::string& name, std::int64_t ns, const nlohmann::json& target) {
    rows_.push_back(
        {{"name", name}, {"value", ns}, {"unit", "ns"}, {"baseline", nullptr}, {"target", target}});
  }
  nlohmann::json ToJson() const { return {{"rows", rows_}}; }

 private:
  nlohmann::json rows_ = nlohmann::json::array();
};

std::int64_t NsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

void Measure(const NamedShape& named, unsigned seed, Report& report) {
  const SetChooser chooser(named.shape);
  const Clock::time_point start = Clock::now();
  chooser.Prepare();
  report.Add(named.name + ": tables", NsSince(start), nullptr);
  const int cards = named.shape.card_count();
  const nlohmann::json target = cards <= 8    ? nlohmann::json(kTargetNs8)
                                : cards <= 16 ? nlohmann::json(kTargetNs16)
                                              : nlohmann::json(nullptr);
  for (const Kind& kind : kKinds) {
    std::vector<std::int64_t> ns;
    int cut_short = 0;
    for (const SetRequest& request : RequestsOf(named.shape, kind, seed)) {
      const Clock::time_point before = Clock::now();
      const topology::SetChoice choice = chooser.Choose(request);
      ns.push_back(NsSince(before));
      cut_short += choice.cut_short ? 1 : 0;
    }
    std::sort(ns.begin(), ns.end());
    const std::string name = named.name + ", " + kind.name + ": ";
    report.Add(name + "p50", ns[ns.size() / 2], nullptr);
    report.Add(name + "p99", ns[ns.size() * 99 / 100], target);
    report.Add(name + "max", ns.back(), nullptr);
    if (cut_short != 0) {
      std::cerr << name << cut_short << " of " << ns.size() << " cut short\n";
    }
  }
}

int Main(int argc, char** argv) {
  CLI::App app("Measures the choice of cards and prints JSON rows.");
  std::vector<std::string> files;
  unsigned seed = 1;
  app.add_option("files", files, "Topology files, measured too");
  app.add_option("--seed", seed, "Seed of the random shapes and free sets");
  CLI11_PARSE(app, argc, argv);
  std::vector<NamedShape> shapes = BuiltInShapes(seed);
  for (const std::string& file : files) {
    shapes.push_back({file.substr(file.find_last_of('/') + 1), ShapeOfFile(file)});
  }
  Report report;
  for (const NamedShape& shape : shapes) {
    Measure(shape, seed, report);
  }
  std::cout << report.ToJson().dump() << "\n";
  return 0;
}

}  // namespace
}  // namespace aliquot::bench

int main(int argc, char** argv) {
  try {
    return aliquot::bench::Main(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "choice_bench: " << error.what() << "\n";
    return 1;
  }
}
