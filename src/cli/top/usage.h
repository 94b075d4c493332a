// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the cards and shares of one node use now, of its agent's page /shares
// (docs/reference/agent-metrics.md). Units: percent of a card, MiB. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/status.h"

namespace aliquot::cli {

// Nothing where the driver does not say.
struct CardUsage {
  std::optional<int> core;  // time with a kernel running
  std::optional<std::int64_t> mib;
  std::optional<int> memory_bus;  // time with memory being read or written
  std::optional<int> celsius;
  std::optional<int> watts;
  int strangers = 0;  // processes that belong to no share
  std::int64_t stranger_mib = 0;
};

struct ShareUsage {
  std::optional<int> core;
  std::optional<std::int64_t> mib;
  bool by_library = false;  // `mib` is what the library has charged, the container's own word
  int processes = 0;
  std::optional<int> core_now;  // what it may use just now
};

// namespace, pod, container, card's UUID
using ShareKey = std::tuple<std::string, std::string, std::string, std::string>;

struct NodeUsage {
  std::map<std::string, CardUsage> cards;  // by UUID
  std::map<ShareKey, ShareUsage> shares;
};

// A page that is no such text is an error.
Result<NodeUsage> ParseUsage(std::string_view metrics);

}  // namespace aliquot::cli
