// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which nodes of a trace have which links between their cards: a trace names no links, a user can.
// Immutable once built; thread-safe.

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/inventory.h"
#include "simulate/openb_trace.h"
#include "topology/card_set.h"
#include "topology/description.h"

namespace aliquot::simulate {

class LinkRules {
 public:
  // `which`: the beginning of a model's name ("V100"), or a number of cards ("8"). The first rule
  // that fits a node and has enough cards holds; a node with fewer cards than the description has
  // its first ones. The error: a description whose links cannot be used.
  Status Add(std::string_view which, const topology::Description& description);

  // nullptr: no rule fits, all cards are alike.
  const model::Inventory* For(const TraceNode& node) const;
  bool empty() const { return rules_.empty(); }

 private:
  struct Rule {
    std::string model_prefix;  // or
    int cards = 0;             // 0: by the model
    model::Inventory links;
  };
  std::vector<Rule> rules_;
};

}  // namespace aliquot::simulate
