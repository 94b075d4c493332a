// SPDX-License-Identifier: Apache-2.0
#pragma once

// One question to the placer and its policies: what a pod asks for, and what it is weighed against.
// A view: demand and outlook must outlive it.

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
};

}  // namespace aliquot::scoring
