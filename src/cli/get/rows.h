// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `aliquotctl get` shows, taken from a ledger: who holds what. Plain values and pure
// functions. Units: percent of a card, MiB.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "model/pod.h"

namespace aliquot::cli {

struct NodeRow {
  std::string name;
  // "ready", or the name of what keeps pods away (scoring::RefusalName), with its sentence.
  std::string state = "ready";
  std::string why;
  int cards = 0;
  int usable = 0;
  int idle = 0;
  std::int64_t core_free = 0;  // over usable cards; below 0 where they are over-booked
  std::int64_t core_total = 0;
  std::int64_t mib_free = 0;
  std::int64_t mib_total = 0;
  int largest_core_free = 0;  // of one card
  std::int64_t largest_mib_free = 0;
  int shares = 0;  // holds of cards: a pod with two cards counts twice
  std::string models;
  std::string driver;
};

struct CardRow {
  std::string node;
  int index = 0;
  std::string uuid;
  std::string model;
  int core_used = 0;
  std::int64_t mib_used = 0;
  std::int64_t mib_total = 0;
  std::string health;  // "ok", what is wrong, or the mode that keeps the card from being shared
  int numa = -1;
  std::string pci;
  std::vector<std::string> pods;  // "namespace/name", sorted
};

struct PodCard {
  std::string container;
  std::string uuid;
  std::optional<int> index;  // nothing when the node's cards are not known
  int core = 0;
  std::int64_t mib = 0;
};

struct PodRow {
  std::string namespace_name;
  std::string name;
  std::string node;
  std::string phase;
  std::string created;  // RFC 3339
  std::string isolation;
  std::string source;  // record, index, unknown; "" while it holds nothing
  int core = 0;        // over all its cards: held, or asked for while it holds nothing
  std::int64_t mib = 0;
  std::vector<PodCard> cards;
};

// Each sorted by node or namespace, then index or name. Nodes without any card published are left
// out unless `all`.
std::vector<NodeRow> NodeRows(const ledger::Ledger& ledger, bool all);
std::vector<CardRow> CardRows(const ledger::Ledger& ledger);
std::vector<PodRow> PodRows(const ledger::Ledger& ledger, const std::vector<model::Pod>& pods,
                            const model::ResourceNames& names);

}  // namespace aliquot::cli
