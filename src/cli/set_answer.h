// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set of cards with its value, as aliquotctl prints it. Keys: docs/reference/aliquotctl.md. Pure,
// thread-safe. Units: GB/s one way.

#include <cstdint>
#include <string>
#include <vector>

#include "topology/description.h"
#include "topology/set_chooser.h"

namespace aliquot::cli {

// The terms that decide first as one whole number, larger is better, below 2^53 so that every JSON
// reader keeps it exactly. It depends on the set and its links only, so sets of different nodes
// compare. Sets with equal scores are told apart by the terms that follow, then by the lowest
// indices.
//   best connected first   ring_gbps * 2^34 + pairs_gbps * 2^7 + (64 - numa_nodes)
//   leaves most first      remaining
std::int64_t ScoreOf(const topology::SetValue& value, topology::SetOrder order);

struct AnsweredSet {
  topology::CardSet set = 0;
  topology::SetValue value;
};

struct SetContext {
  const topology::Description& description;
  topology::SetOrder order = topology::SetOrder::kBestConnected;
  topology::CardSet free = 0;
};

// {"set": [0,3], "score": 12, "terms": {..}} and what was asked.
std::string SetJson(const AnsweredSet& answer, const SetContext& context, bool cut_short);
std::string SetText(const AnsweredSet& answer, const SetContext& context, bool cut_short);
// [{"set": .., "score": .., "terms": {..}}, ..], best first.
std::string RankedJson(const std::vector<topology::RankedSet>& sets, const SetContext& context);
std::string RankedText(const std::vector<topology::RankedSet>& sets, const SetContext& context);

}  // namespace aliquot::cli
