// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/nvml/machine.h"

#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace aliquot::simgpu {
namespace {

std::size_t PairIndex(std::size_t a, std::size_t b, std::size_t cards) {
  const std::size_t low = std::min(a, b);
  const std::size_t high = std::max(a, b);
  return low * cards - low * (low + 1) / 2 + (high - low - 1);
}

// The key of the card, else of everyCard.
YAML::Node Trait(const YAML::Node& card, const YAML::Node& every, const char* key) {
  if (card[key]) {
    return card[key];
  }
  return every.IsMap() ? every[key] : YAML::Node(YAML::NodeType::Undefined);
}

Card ReadCard(const YAML::Node& node, const YAML::Node& every) {
  Card card;
  card.uuid = node["uuid"].as<std::string>();
  card.minor = node["minor"].as<int>();
  card.pci = node["pci"].as<std::string>();
  card.numa = node["numa"].as<int>(-1);
  card.model = Trait(node, every, "model").as<std::string>();
  card.mib = Trait(node, every, "mib").as<std::int64_t>();
  const std::string capability = Trait(node, every, "computeCapability").as<std::string>();
  if (std::sscanf(capability.c_str(), "%d.%d", &card.cc_major, &card.cc_minor) != 2) {
    throw std::runtime_error("computeCapability " + capability);
  }
  if (const YAML::Node cost = Trait(node, every, "contextMiB")) {
    card.context_mib = cost.as<std::int64_t>();
  }
  if (const YAML::Node mode = Trait(node, every, "mode")) {
    card.mig = mode.as<std::string>() == "mig";
  }
  return card;
}

std::vector<std::string> ReadLinks(const YAML::Node& links, std::size_t cards) {
  std::vector<std::string> words(cards * (cards - 1) / 2, "SYS");
  if (!links) {
    return words;
  }
  if (links["triangle"]) {
    std::string text = links["triangle"].as<std::string>();
    for (std::string& word : words) {
      const std::size_t comma = std::min(text.find(','), text.size());
      word = text.substr(0, comma);
      word.erase(0, word.find_first_not_of(' '));
      text.erase(0, std::min(comma + 1, text.size()));
    }
    return words;
  }
  std::fill(words.begin(), words.end(), links["default"].as<std::string>());
  for (const YAML::Node& pair : links["pairs"]) {
    const auto ends = pair["cards"].as<std::vector<std::size_t>>();
    words.at(PairIndex(ends.at(0), ends.at(1), cards)) = pair["link"].as<std::string>();
  }
  return words;
}

std::optional<int> Number(const YAML::Node& node, const char* key) {
  return node[key] ? std::optional<int>(node[key].as<int>()) : std::nullopt;
}

void ReadCardState(const YAML::Node& node, Card& card) {
  card.lost = node["lost"].as<bool>(false);
  card.uncorrectable_pending = node["uncorrectablePending"].as<bool>(false);
  card.remap_failed = node["remapFailed"].as<bool>(false);
  card.minor = node["minor"].as<int>(card.minor);
  card.mib_used = node["mibUsed"].as<std::int64_t>(0);
  card.gpu_percent = Number(node, "gpuPercent");
  card.memory_percent = Number(node, "memoryPercent");
  card.temperature_celsius = Number(node, "temperatureCelsius");
  card.power_milliwatts = Number(node, "powerMilliwatts");
  for (const YAML::Node& each : node["processes"]) {
    card.processes.push_back({each["pid"].as<unsigned>(), each["mib"].as<std::int64_t>(-1),
                              each["smPercent"].as<int>(-1)});
  }
}

}  // namespace

const std::string& Machine::Link(std::size_t a, std::size_t b) const {
  return links.at(PairIndex(a, b, cards.size()));
}

namespace {

Machine ReadMachine(const YAML::Node& document) {
  Machine machine;
  machine.driver = document["driver"].as<std::string>();
  int cuda_major = 12;
  int cuda_minor = 0;
  if (document["cuda"] && std::sscanf(document["cuda"].as<std::string>().c_str(), "%d.%d",
                                      &cuda_major, &cuda_minor) != 2) {
    throw std::runtime_error("cuda " + document["cuda"].as<std::string>());
  }
  machine.cuda_version = 1000 * cuda_major + 10 * cuda_minor;
  const YAML::Node every = document["everyCard"] ? document["everyCard"] : YAML::Node();
  for (const YAML::Node& each : document["cards"]) {
    machine.cards.push_back(ReadCard(each, every));
  }
  if (machine.cards.size() > 1) {
    machine.links = ReadLinks(document["links"], machine.cards.size());
  }
  for (std::size_t a = 0; a < machine.cards.size(); ++a) {
    for (std::size_t b = 0; b < machine.cards.size(); ++b) {
      machine.cards[a].c2c |= a != b && machine.Link(a, b) == "C2C";
    }
  }
  if (const YAML::Node nvlink = document["nvlink"]) {
    machine.nvlinks_per_card = nvlink["perCard"].as<int>();
    machine.nvswitch = nvlink["through"].as<std::string>() == "nvswitch";
  }
  return machine;
}

}  // namespace

Machine ReadProfile(const std::string& path) { return ReadMachine(YAML::LoadFile(path)); }

Machine ParseProfile(const std::string& text) { return ReadMachine(YAML::Load(text)); }

Machine PartOf(const Machine& machine, const std::vector<int>& cards) {
  Machine part = machine;
  part.cards.clear();
  part.links.clear();
  for (std::size_t a = 0; a < cards.size(); ++a) {
    part.cards.push_back(machine.cards[static_cast<std::size_t>(cards[a])]);
    for (std::size_t b = a + 1; b < cards.size(); ++b) {
      part.links.push_back(
          machine.Link(static_cast<std::size_t>(cards[a]), static_cast<std::size_t>(cards[b])));
    }
  }
  return part;
}

void ReadState(const std::string& path, Machine& machine) {
  if (path.empty() || access(path.c_str(), F_OK) != 0) {
    return;
  }
  const YAML::Node document = YAML::LoadFile(path);
  machine.driver_present = document["driver"].as<std::string>("present") == "present";
  for (const YAML::Node& each : document["cards"]) {
    for (Card& card : machine.cards) {
      if (card.uuid == each["uuid"].as<std::string>()) {
        ReadCardState(each, card);
      }
    }
  }
  for (const YAML::Node& each : document["events"]) {
    machine.events.push_back({each["sequence"].as<std::uint64_t>(),
                              each["card"].as<std::string>(""), each["eccDouble"].as<bool>(false),
                              each["xid"].as<std::uint64_t>(0)});
  }
}

std::vector<Fault> ReadFaults(const std::string& path) {
  std::vector<Fault> faults;
  if (path.empty() || access(path.c_str(), F_OK) != 0) {
    return faults;
  }
  const YAML::Node document = YAML::LoadFile(path);
  for (const YAML::Node& each : document["faults"]) {
    Fault fault;
    fault.function = each["function"].as<std::string>();
    fault.card = each["card"].as<int>(-1);
    fault.error = each["error"].as<unsigned>(0);
    fault.hang = each["hang"].as<bool>(false);
    fault.after = each["after"].as<int>(0);
    fault.times = each["times"].as<int>(0);
    faults.push_back(std::move(fault));
  }
  return faults;
}

}  // namespace aliquot::simgpu
