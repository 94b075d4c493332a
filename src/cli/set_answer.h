// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set of cards with its value, as aliquotctl prints it. Keys: docs/reference/aliquotctl.md. Pure,
// thread-safe. Units: GB/s one way.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "topology/description.h"
#include "topology/set_chooser.h"

namespace aliquot::cli {

// One number for the terms of the objective: of two sets of one node and one size, the better one
// has the higher number, and only equal terms have the same. Each term is one digit of a number in
// mixed base, the most important first; the bases are the node's own maxima.
class SetScore {
 public:
  // `sensitive` as in topology::SetRequest.
  SetScore(const topology::SetChooser& chooser, bool sensitive);

  // Nothing where a number of 63 bits cannot hold the terms (64 cards of over 1,000 GB/s a link).
  std::optional<std::int64_t> Of(const topology::SetValue& value) const;

 private:
  bool sensitive_;
  bool fits_ = true;
  // One more than the highest value of each term.
  std::int64_t pairs_base_ = 1;
  std::int64_t numa_base_ = 1;
  std::int64_t remaining_base_ = 1;
  std::int64_t connected_base_ = 1;  // of ring, pairs and NUMA nodes together
};

struct AnsweredSet {
  topology::CardSet set = 0;
  topology::SetValue value;
};

// {"set": [0,3], "score": 12, "terms": {..}} and more keys in `answer`.
struct SetContext {
  const topology::Description& description;
  const SetScore& score;
  bool sensitive = true;
  topology::CardSet free = 0;
};

std::string SetJson(const AnsweredSet& answer, const SetContext& context, bool cut_short);
std::string SetText(const AnsweredSet& answer, const SetContext& context, bool cut_short);
// [{"set": .., "score": .., "terms": {..}}, ..], best first.
std::string RankedJson(const std::vector<topology::RankedSet>& sets, const SetContext& context);
std::string RankedText(const std::vector<topology::RankedSet>& sets, const SetContext& context);

}  // namespace aliquot::cli
