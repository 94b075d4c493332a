// SPDX-License-Identifier: Apache-2.0
#include "simulate/link_rules.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace aliquot::simulate {

Status LinkRules::Add(std::string_view which, const topology::Description& description) {
  Rule rule;
  const auto cards = ParseUnsigned(which);
  if (which.empty() || (cards && (*cards < 1 || *cards > topology::kMaxCards))) {
    return InvalidArgument("\"" + Printable(which) +
                           "\" names no nodes; use the beginning of a model's name or a number of "
                           "cards from 1 to " +
                           std::to_string(topology::kMaxCards));
  }
  if (cards) {
    rule.cards = static_cast<int>(*cards);
  } else {
    rule.model_prefix = std::string(which);
  }
  rule.links.cards.resize(description.cards.size());
  if (Status status = topology::FillInventory(description, rule.links); !status.ok()) {
    return status;
  }
  if (rule.cards > static_cast<int>(rule.links.cards.size())) {
    return InvalidArgument("nodes of " + std::to_string(rule.cards) +
                           " cards need a description of as many; this one has " +
                           std::to_string(rule.links.cards.size()));
  }
  rules_.push_back(std::move(rule));
  return Status::Ok();
}

const model::Inventory* LinkRules::For(const TraceNode& node) const {
  const auto rule = std::find_if(rules_.begin(), rules_.end(), [&node](const Rule& each) {
    const bool named =
        each.cards > 0 ? each.cards == node.gpus : StartsWith(node.model, each.model_prefix);
    return named && node.gpus > 1 && node.gpus <= static_cast<int>(each.links.cards.size());
  });
  return rule == rules_.end() ? nullptr : &rule->links;
}

}  // namespace aliquot::simulate
