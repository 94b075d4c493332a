// SPDX-License-Identifier: Apache-2.0
#include "cli/top/print.h"

#include "cli/table.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::ordered_json;
using Cells = std::vector<std::string>;

constexpr char kUnknown[] = "<unknown>";

template <typename Number>
std::string Text(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : kUnknown;
}

std::string OutOf(std::int64_t part, std::int64_t whole) {
  return std::to_string(part) + "/" + std::to_string(whole);
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

void Append(Cells& cells, Cells more) {
  cells.insert(cells.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

Cells PodCells(const TopPod& row) {
  return {row.name,
          row.node,
          std::to_string(row.core_held),
          Text(row.used.core),
          std::to_string(row.mib_held),
          Text(row.used.mib),
          row.note};
}

Cells ShareCells(const TopPod& row, const TopShare& share) {
  const PodCard& held = share.held;
  return {row.name,
          held.container,
          row.node,
          held.index ? std::to_string(*held.index) : held.uuid,
          std::to_string(held.core),
          Text(share.used.core),
          share.used.core_now ? std::to_string(*share.used.core_now) : "",
          std::to_string(held.mib),
          Text(share.used.mib),
          share.used.mib ? (share.used.by_library ? "library" : "driver") : "",
          std::to_string(share.used.processes),
          row.note};
}

Json Items(Json items) { return Json{{"items", std::move(items)}}; }

}  // namespace

std::string NodeTable(const std::vector<TopNode>& rows, bool wide) {
  Cells header{"NAME", "CARDS", "CORE HELD", "CORE USED", "MIB HELD", "MIB USED", "SHARES"};
  Append(header, wide ? Cells{"STRANGERS", "NOTE"} : Cells{"NOTE"});
  Table table(std::move(header));
  for (const TopNode& row : rows) {
    Cells cells{row.name,
                std::to_string(row.cards),
                OutOf(row.core_held, row.core_total),
                Text(row.used.core),
                OutOf(row.mib_held, row.mib_total),
                Text(row.used.mib),
                std::to_string(row.shares)};
    Append(cells, wide ? Cells{std::to_string(row.strangers), row.note} : Cells{row.note});
    table.Add(std::move(cells));
  }
  return table.Text();
}

std::string CardTable(const std::vector<TopCard>& rows, bool wide) {
  Cells header{"NODE",      "INDEX",    "MODEL",    "CORE HELD",
               "CORE USED", "MIB HELD", "MIB USED", "SHARES"};
  Append(header,
         wide ? Cells{"UUID", "BUS", "CELSIUS", "WATTS", "STRANGERS", "STRANGERS' MIB", "NOTE"}
              : Cells{"NOTE"});
  Table table(std::move(header));
  for (const TopCard& row : rows) {
    Cells cells{row.held.node,       std::to_string(row.held.index),
                row.held.model,      OutOf(row.held.core_used, 100),
                Text(row.used.core), OutOf(row.held.mib_used, row.held.mib_total),
                Text(row.used.mib),  std::to_string(row.held.pods.size())};
    if (wide) {
      Append(cells, {row.held.uuid, Text(row.used.memory_bus), Text(row.used.celsius),
                     Text(row.used.watts), std::to_string(row.used.strangers),
                     std::to_string(row.used.stranger_mib)});
    }
    cells.push_back(row.note);
    table.Add(std::move(cells));
  }
  return table.Text();
}

std::string PodTable(const std::vector<TopPod>& rows, bool wide, bool with_namespace) {
  Cells header =
      wide ? Cells{"NAME",     "CONTAINER", "NODE",     "CARD",   "CORE HELD", "CORE USED",
                   "CORE NOW", "MIB HELD",  "MIB USED", "MIB BY", "PROCESSES", "NOTE"}
           : Cells{"NAME", "NODE", "CORE HELD", "CORE USED", "MIB HELD", "MIB USED", "NOTE"};
  if (with_namespace) {
    header.insert(header.begin(), "NAMESPACE");
  }
  Table table(std::move(header));
  const auto add = [&table, with_namespace](const TopPod& row, Cells cells) {
    if (with_namespace) {
      cells.insert(cells.begin(), row.namespace_name);
    }
    table.Add(std::move(cells));
  };
  for (const TopPod& row : rows) {
    if (!wide) {
      add(row, PodCells(row));
      continue;
    }
    for (const TopShare& share : row.shares) {
      add(row, ShareCells(row, share));
    }
  }
  return table.Text();
}

Json ToJson(const std::vector<TopNode>& rows) {
  Json items = Json::array();
  for (const TopNode& row : rows) {
    items.push_back({{"name", row.name},
                     {"cards", row.cards},
                     {"core_held", row.core_held},
                     {"core_used", OrNull(row.used.core)},
                     {"core_total", row.core_total},
                     {"mib_held", row.mib_held},
                     {"mib_used", OrNull(row.used.mib)},
                     {"mib_total", row.mib_total},
                     {"shares", row.shares},
                     {"stranger_processes", row.strangers},
                     {"note", row.note}});
  }
  return Items(std::move(items));
}

Json ToJson(const std::vector<TopCard>& rows) {
  Json items = Json::array();
  for (const TopCard& row : rows) {
    items.push_back({{"node", row.held.node},
                     {"index", row.held.index},
                     {"uuid", row.held.uuid},
                     {"model", row.held.model},
                     {"core_held", row.held.core_used},
                     {"core_used", OrNull(row.used.core)},
                     {"mib_held", row.held.mib_used},
                     {"mib_used", OrNull(row.used.mib)},
                     {"mib_total", row.held.mib_total},
                     {"shares", row.held.pods.size()},
                     {"memory_bus_percent", OrNull(row.used.memory_bus)},
                     {"celsius", OrNull(row.used.celsius)},
                     {"watts", OrNull(row.used.watts)},
                     {"stranger_processes", row.used.strangers},
                     {"stranger_mib", row.used.stranger_mib},
                     {"note", row.note}});
  }
  return Items(std::move(items));
}

Json ToJson(const std::vector<TopPod>& rows) {
  Json items = Json::array();
  for (const TopPod& row : rows) {
    Json shares = Json::array();
    for (const TopShare& share : row.shares) {
      const char* by = share.used.by_library ? "library" : "driver";
      shares.push_back({{"container", share.held.container},
                        {"uuid", share.held.uuid},
                        {"index", OrNull(share.held.index)},
                        {"core_held", share.held.core},
                        {"core_used", OrNull(share.used.core)},
                        {"core_now", OrNull(share.used.core_now)},
                        {"mib_held", share.held.mib},
                        {"mib_used", OrNull(share.used.mib)},
                        {"mib_by", share.used.mib ? Json(by) : Json()},
                        {"processes", share.used.processes}});
    }
    items.push_back({{"namespace", row.namespace_name},
                     {"name", row.name},
                     {"node", row.node},
                     {"core_held", row.core_held},
                     {"core_used", OrNull(row.used.core)},
                     {"mib_held", row.mib_held},
                     {"mib_used", OrNull(row.used.mib)},
                     {"note", row.note},
                     {"shares", std::move(shares)}});
  }
  return Items(std::move(items));
}

}  // namespace aliquot::cli
