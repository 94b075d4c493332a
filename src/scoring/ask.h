// SPDX-License-Identifier: Apache-2.0
#pragma once

// One question to the placer and its policies: what a pod asks for, and what it is weighed against.
// A view: demand and outlook must outlive it.

#include <cstdint>
#include <limits>

#include "model/demand.h"
#include "scoring/outlook.h"

namespace aliquot::scoring {

struct Ask {
  // Implicit on purpose: a demand alone is a whole question.
  Ask(const model::PodDemand& pod_demand, bool pod_tolerates_cordon = false,
      const Outlook& expected = Outlook::Unknown())
      : demand(pod_demand), tolerates_cordon(pod_tolerates_cordon), outlook(expected) {}

  const model::PodDemand& demand;
  bool tolerates_cordon;  // node.kubernetes.io/unschedulable
  const Outlook& outlook;
  // Of the pod: room that is kept for pods of higher priority is not there for it. Unset, no claim
  // stands before it.
  std::int64_t priority = std::numeric_limits<std::int64_t>::max();

  Ask OfPriority(std::int64_t pod_priority) const {
    Ask ask = *this;
    ask.priority = pod_priority;
    return ask;
  }
};

}  // namespace aliquot::scoring
