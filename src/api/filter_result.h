// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/extender_args.h"

namespace aliquot::api {

// The reply of the extender's filter verb. Source: k8s.io/kube-scheduler/extender/v1
// ExtenderFilterResult. Reasons must not vary between attempts for the same pod: kube-scheduler
// retries a pod at once when its message changes.

struct FailedNode {
  std::string_view node;
  std::string_view reason;
};

struct FilterResult {
  std::vector<std::size_t> kept;         // indexes into ExtenderArgs::node_names
  std::vector<FailedNode> failed;        // could fit later: preemption may look at them
  std::vector<FailedNode> unresolvable;  // never: preemption skips them
};

// Appends the reply to `out`, straight from the views: names for args with names, the Node objects
// unchanged for args with objects. The same input gives the same bytes. Thread-safe.
void WriteFilterResult(std::string& out, const ExtenderArgs& args, const FilterResult& result);

// Appends a reply that carries only an error: kube-scheduler ends the attempt with it.
void WriteFilterError(std::string& out, std::string_view sentence);

}  // namespace aliquot::api
