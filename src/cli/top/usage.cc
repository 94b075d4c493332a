// SPDX-License-Identifier: Apache-2.0
#include "cli/top/usage.h"

#include <cmath>

#include "cli/top/metrics_text.h"

namespace aliquot::cli {
namespace {

constexpr double kBytesPerMebibyte = 1024.0 * 1024.0;
// 2^53 MiB: above it a double is no whole number any more, and no card has so much.
constexpr double kMost = 9007199254740992.0;

std::int64_t Whole(double value) {
  return std::isfinite(value) && std::abs(value) < kMost ? std::llround(value) : 0;
}
int Small(double value) {
  const std::int64_t whole = Whole(value);
  return whole >= 0 && whole < 1000000000 ? static_cast<int>(whole) : 0;
}
std::int64_t Mib(double bytes) { return Whole(bytes / kBytesPerMebibyte); }

void TakeCard(std::string_view name, double value, CardUsage& card) {
  if (name == "aliquot_card_utilization_percent") {
    card.core = Small(value);
  } else if (name == "aliquot_card_memory_used_bytes") {
    card.mib = Mib(value);
  } else if (name == "aliquot_card_memory_utilization_percent") {
    card.memory_bus = Small(value);
  } else if (name == "aliquot_card_temperature_celsius") {
    card.celsius = Small(value);
  } else if (name == "aliquot_card_power_watts") {
    card.watts = Small(value);
  } else if (name == "aliquot_card_stranger_processes") {
    card.strangers = Small(value);
  } else if (name == "aliquot_card_stranger_memory_bytes") {
    card.stranger_mib = Mib(value);
  }
}

struct SeenShare {
  ShareUsage usage;
  std::optional<std::int64_t> charged;
};

void TakeShare(std::string_view name, double value, SeenShare& share) {
  if (name == "aliquot_share_utilization_percent") {
    share.usage.core = Small(value);
  } else if (name == "aliquot_share_memory_used_bytes") {
    share.usage.mib = Mib(value);
  } else if (name == "aliquot_share_memory_charged_bytes") {
    share.charged = Mib(value);
  } else if (name == "aliquot_share_processes") {
    share.usage.processes = Small(value);
  } else if (name == "aliquot_share_core_now_percent") {
    share.usage.core_now = Small(value);
  }
}

// The driver says nothing of a share without processes. Where the agent can't tell whose processes
// are whose, a share that has charged memory is in use all the same.
ShareUsage Judged(const SeenShare& seen, const CardUsage* card) {
  ShareUsage usage = seen.usage;
  if (usage.processes > 0) {
    if (!usage.mib) {
      usage.mib = seen.charged;
      usage.by_library = usage.mib.has_value();
    }
    return usage;
  }
  const std::int64_t charged = seen.charged.value_or(0);
  if (charged > 0) {
    usage.mib = charged;
    usage.by_library = true;
    return usage;
  }
  if (card != nullptr && card->mib) {
    usage.mib = 0;
  }
  if (card != nullptr && card->core) {
    usage.core = 0;
  }
  return usage;
}

}  // namespace

Result<NodeUsage> ParseUsage(std::string_view metrics) {
  NodeUsage node;
  std::map<ShareKey, SeenShare> shares;
  const Status read = ReadMetrics(metrics, [&](const MetricSample& sample) {
    const std::string& uuid = sample.Label("UUID");
    if (sample.name.rfind("aliquot_card_", 0) == 0) {
      TakeCard(sample.name, sample.value, node.cards[uuid]);
    } else if (sample.name.rfind("aliquot_share_", 0) == 0) {
      TakeShare(sample.name, sample.value,
                shares[{sample.Label("namespace"), sample.Label("pod"), sample.Label("container"),
                        uuid}]);
    }
  });
  if (!read.ok()) {
    return read;
  }
  for (const auto& [key, seen] : shares) {
    const auto card = node.cards.find(std::get<3>(key));
    node.shares[key] = Judged(seen, card == node.cards.end() ? nullptr : &card->second);
  }
  return node;
}

}  // namespace aliquot::cli
