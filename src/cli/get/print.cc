// SPDX-License-Identifier: Apache-2.0
#include "cli/get/print.h"

#include <set>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/table.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string OutOf(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

// "0,3", each once; a UUID where the index is not known.
std::string CardsText(const PodRow& row) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const PodCard& card : row.cards) {
    std::string name = card.index ? std::to_string(*card.index) : card.uuid;
    if (seen.insert(name).second) {
      names.push_back(std::move(name));
    }
  }
  return Join(names, ",");
}

std::string UuidsText(const PodRow& row) {
  std::set<std::string> uuids;
  for (const PodCard& card : row.cards) {
    uuids.insert(card.uuid);
  }
  return Join({uuids.begin(), uuids.end()}, ",");
}

std::string AgeOf(const std::string& created, SystemTime now) {
  const auto time = ParseApiTime(created);
  return time ? AgeText(std::chrono::duration_cast<std::chrono::seconds>(now - *time).count())
              : "<unknown>";
}

Json Items(Json items) { return Json{{"items", std::move(items)}}; }

}  // namespace

std::string NodeTable(const std::vector<NodeRow>& rows, bool wide) {
  std::vector<std::string> header{"NAME", "STATE",     "CARDS",    "USABLE",
                                  "IDLE", "CORE FREE", "MIB FREE", "SHARES"};
  if (wide) {
    header.insert(header.end(), {"LARGEST CORE", "LARGEST MIB", "MODELS", "DRIVER", "WHY"});
  }
  Table table(std::move(header));
  for (const NodeRow& row : rows) {
    std::vector<std::string> cells{row.name,
                                   row.state,
                                   std::to_string(row.cards),
                                   std::to_string(row.usable),
                                   std::to_string(row.idle),
                                   OutOf(row.core_free, row.core_total),
                                   OutOf(row.mib_free, row.mib_total),
                                   std::to_string(row.shares)};
    if (wide) {
      cells.insert(cells.end(),
                   {std::to_string(row.largest_core_free), std::to_string(row.largest_mib_free),
                    row.models, row.driver, row.why});
    }
    table.Add(std::move(cells));
  }
  return table.Text();
}

std::string CardTable(const std::vector<CardRow>& rows, bool wide) {
  std::vector<std::string> header{"NODE", "INDEX", "UUID", "MODEL",
                                  "CORE", "MIB",   "PODS", "HEALTH"};
  if (wide) {
    header.insert(header.end(), {"NUMA", "PCI", "HELD BY"});
  }
  Table table(std::move(header));
  for (const CardRow& row : rows) {
    std::vector<std::string> cells{row.node,
                                   std::to_string(row.index),
                                   row.uuid,  // whole, to be copied into aliquot.io/gpu-uuid
                                   row.model,
                                   OutOf(row.core_used, 100),
                                   OutOf(row.mib_used, row.mib_total),
                                   std::to_string(row.pods.size()),
                                   row.health};
    if (wide) {
      cells.insert(cells.end(),
                   {row.numa < 0 ? "" : std::to_string(row.numa), row.pci, Join(row.pods, ",")});
    }
    table.Add(std::move(cells));
  }
  return table.Text();
}

std::string PodTable(const std::vector<PodRow>& rows, bool wide, bool with_namespace,
                     SystemTime now) {
  std::vector<std::string> header{"NAME", "NODE",      "CARDS", "CORE",
                                  "MIB",  "ISOLATION", "PHASE", "AGE"};
  if (with_namespace) {
    header.insert(header.begin(), "NAMESPACE");
  }
  if (wide) {
    header.insert(header.end(), {"UUIDS", "KNOWN BY"});
  }
  Table table(std::move(header));
  for (const PodRow& row : rows) {
    std::vector<std::string> cells{row.name,
                                   row.node,
                                   CardsText(row),
                                   std::to_string(row.core),
                                   std::to_string(row.mib),
                                   row.isolation,
                                   row.phase,
                                   AgeOf(row.created, now)};
    if (with_namespace) {
      cells.insert(cells.begin(), row.namespace_name);
    }
    if (wide) {
      cells.insert(cells.end(), {UuidsText(row), row.source});
    }
    table.Add(std::move(cells));
  }
  return table.Text();
}

Json ToJson(const std::vector<NodeRow>& rows) {
  Json items = Json::array();
  for (const NodeRow& row : rows) {
    items.push_back({{"name", row.name},
                     {"state", row.state},
                     {"why", row.why},
                     {"cards", row.cards},
                     {"usable_cards", row.usable},
                     {"idle_cards", row.idle},
                     {"core_free", row.core_free},
                     {"core_total", row.core_total},
                     {"mib_free", row.mib_free},
                     {"mib_total", row.mib_total},
                     {"largest_core_free", row.largest_core_free},
                     {"largest_mib_free", row.largest_mib_free},
                     {"shares", row.shares},
                     {"models", row.models},
                     {"driver", row.driver}});
  }
  return Items(std::move(items));
}

Json ToJson(const std::vector<CardRow>& rows) {
  Json items = Json::array();
  for (const CardRow& row : rows) {
    items.push_back({{"node", row.node},
                     {"index", row.index},
                     {"uuid", row.uuid},
                     {"model", row.model},
                     {"core_used", row.core_used},
                     {"mib_used", row.mib_used},
                     {"mib_total", row.mib_total},
                     {"health", row.health},
                     {"numa", row.numa},
                     {"pci", row.pci},
                     {"pods", row.pods}});
  }
  return Items(std::move(items));
}

Json ToJson(const std::vector<PodRow>& rows) {
  Json items = Json::array();
  for (const PodRow& row : rows) {
    Json cards = Json::array();
    for (const PodCard& card : row.cards) {
      cards.push_back({{"container", card.container},
                       {"uuid", card.uuid},
                       {"index", card.index ? Json(*card.index) : Json()},
                       {"core", card.core},
                       {"mib", card.mib}});
    }
    items.push_back({{"namespace", row.namespace_name},
                     {"name", row.name},
                     {"node", row.node},
                     {"phase", row.phase},
                     {"created", row.created},
                     {"isolation", row.isolation},
                     {"core", row.core},
                     {"mib", row.mib},
                     {"known_by", row.source},
                     {"cards", std::move(cards)}});
  }
  return Items(std::move(items));
}

}  // namespace aliquot::cli
