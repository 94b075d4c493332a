// SPDX-License-Identifier: Apache-2.0
#include "cli/top/rows.h"

#include <algorithm>

namespace aliquot::cli {
namespace {

void AddTo(std::optional<std::int64_t>& sum, const std::optional<std::int64_t>& part) {
  if (part) {
    sum = sum.value_or(0) + *part;
  }
}

Used UsedOf(const TopCard& card) { return {card.used.core, card.used.mib}; }
Used UsedOf(const TopNode& node) { return node.used; }
Used UsedOf(const TopPod& pod) { return pod.used; }

template <typename Row>
void SortRows(Order order, std::vector<Row>& rows) {
  if (order == Order::kName) {
    return;
  }
  const auto key = [order](const Row& row) {
    const Used used = UsedOf(row);
    return (order == Order::kCore ? used.core : used.mib).value_or(-1);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&key](const Row& a, const Row& b) { return key(a) > key(b); });
}

// What the agent of the node says; else nullptr and why not.
const NodeUsage* UsageOf(const NodeUsages& usages, const std::string& node, std::string& note) {
  const auto found = usages.find(node);
  if (found == usages.end()) {
    note = "its agent was not asked";
    return nullptr;
  }
  if (!found->second.ok()) {
    note = found->second.status().message();
    return nullptr;
  }
  return &*found->second;
}

TopPod RowOf(const PodRow& pod, const NodeUsages& usages) {
  TopPod row;
  row.namespace_name = pod.namespace_name;
  row.name = pod.name;
  row.node = pod.node;
  row.core_held = pod.core;
  row.mib_held = pod.mib;
  const NodeUsage* node = UsageOf(usages, pod.node, row.note);
  for (const PodCard& card : pod.cards) {
    TopShare share{card, {}};
    if (node != nullptr) {
      const auto found =
          node->shares.find({pod.namespace_name, pod.name, card.container, card.uuid});
      if (found != node->shares.end()) {
        share.used = found->second;
      }
    }
    AddTo(row.used.core, share.used.core);
    AddTo(row.used.mib, share.used.mib);
    row.shares.push_back(std::move(share));
  }
  if (node != nullptr && !row.used.core && !row.used.mib && row.note.empty()) {
    row.note = "its agent knows no running container of it";
  }
  return row;
}

}  // namespace

void KeepHolding(std::vector<PodRow>& pods) {
  pods.erase(std::remove_if(pods.begin(), pods.end(),
                            [](const PodRow& pod) {
                              return pod.source.empty() || pod.node.empty() || pod.cards.empty();
                            }),
             pods.end());
}

std::set<std::string> NodesOf(const std::vector<CardRow>& cards) {
  std::set<std::string> nodes;
  for (const CardRow& card : cards) {
    nodes.insert(card.node);
  }
  return nodes;
}

std::set<std::string> NodesOf(const std::vector<PodRow>& pods) {
  std::set<std::string> nodes;
  for (const PodRow& pod : pods) {
    nodes.insert(pod.node);
  }
  return nodes;
}

std::vector<TopCard> TopCards(const std::vector<CardRow>& cards, const NodeUsages& usages) {
  std::vector<TopCard> rows;
  for (const CardRow& card : cards) {
    TopCard row;
    row.held = card;
    if (const NodeUsage* node = UsageOf(usages, card.node, row.note)) {
      const auto found = node->cards.find(card.uuid);
      if (found != node->cards.end()) {
        row.used = found->second;
      } else {
        row.note = "its agent does not see this card";
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TopNode> TopNodes(const std::vector<TopCard>& cards) {
  std::vector<TopNode> rows;
  for (const TopCard& card : cards) {
    if (rows.empty() || rows.back().name != card.held.node) {
      rows.emplace_back();
      rows.back().name = card.held.node;
    }
    TopNode& node = rows.back();
    ++node.cards;
    node.core_held += card.held.core_used;
    node.core_total += 100;
    node.mib_held += card.held.mib_used;
    node.mib_total += card.held.mib_total;
    node.shares += card.held.pods.size();
    node.strangers += card.used.strangers;
    AddTo(node.used.core, card.used.core);
    AddTo(node.used.mib, card.used.mib);
    if (node.note.empty()) {
      node.note = card.note;
    }
  }
  return rows;
}

std::vector<TopPod> TopPods(const std::vector<PodRow>& pods, const NodeUsages& usages) {
  std::vector<TopPod> rows;
  for (const PodRow& pod : pods) {
    rows.push_back(RowOf(pod, usages));
  }
  return rows;
}

void Sort(Order order, std::vector<TopCard>& rows) { SortRows(order, rows); }
void Sort(Order order, std::vector<TopNode>& rows) { SortRows(order, rows); }
void Sort(Order order, std::vector<TopPod>& rows) { SortRows(order, rows); }

}  // namespace aliquot::cli
