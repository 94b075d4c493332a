// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of `aliquotctl top`: what is held (cli/get/rows.h) beside what is used now. Plain values
// and pure functions. Units: percent of a card, MiB.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/get/rows.h"
#include "cli/top/ask_agents.h"
#include "cli/top/usage.h"

namespace aliquot::cli {

// Nothing where it is not known; `note` says why.
struct Used {
  std::optional<std::int64_t> core;
  std::optional<std::int64_t> mib;
};

struct TopCard {
  CardRow held;
  CardUsage used;
  std::string note;
};

struct TopNode {
  std::string name;
  int cards = 0;
  std::int64_t core_held = 0;
  std::int64_t core_total = 0;
  std::int64_t mib_held = 0;
  std::int64_t mib_total = 0;
  std::size_t shares = 0;
  std::int64_t strangers = 0;
  Used used;  // of the cards that are known
  std::string note;
};

// A card of a container.
struct TopShare {
  PodCard held;
  ShareUsage used;
};

struct TopPod {
  std::string namespace_name;
  std::string name;
  std::string node;
  int core_held = 0;
  std::int64_t mib_held = 0;
  Used used;  // over all its shares
  std::vector<TopShare> shares;
  std::string note;
};

enum class Order { kName, kCore, kMemory };

// Pods that hold cards now; the others use none.
void KeepHolding(std::vector<PodRow>& pods);

std::set<std::string> NodesOf(const std::vector<CardRow>& cards);
std::set<std::string> NodesOf(const std::vector<PodRow>& pods);

std::vector<TopCard> TopCards(const std::vector<CardRow>& cards, const NodeUsages& usages);
// A node is the sum of its cards.
std::vector<TopNode> TopNodes(const std::vector<TopCard>& cards);
std::vector<TopPod> TopPods(const std::vector<PodRow>& pods, const NodeUsages& usages);

// By what is used, the most first and the unknown last; kName leaves them as they are.
void Sort(Order order, std::vector<TopCard>& rows);
void Sort(Order order, std::vector<TopNode>& rows);
void Sort(Order order, std::vector<TopPod>& rows);

}  // namespace aliquot::cli
