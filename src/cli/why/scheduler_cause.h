// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a reason of kube-scheduler means, by the texts of its plugins (the ErrReason constants below
// kubernetes/pkg/scheduler/framework/plugins) and of our extender. tests/data/kube-scheduler has
// the texts as real schedulers wrote them. Pure; thread-safe.

#include <string>
#include <string_view>

#include "cli/why/scheduler_message.h"
#include "model/names.h"

namespace aliquot::cli {

// How near a node came: kube-scheduler asks its plugins in this order, and a node is refused by the
// first that does.
enum class CauseKind {
  kWhateverNode,  // of the pod itself: a volume claim, a resource claim; or there is no node
  kNodeObject,    // it follows from the Node object: taints, cordon, labels
  kNoCards,       // too little of our resources in sum: mostly a node without cards
  kFit,           // of other resources, counted beside ours: a node may be short of both
  kOther,         // ports, volumes, other pods
  kNoInventory,   // our extender: no cards are published
  kCards,         // our extender: there are cards, and they do not hold the pod
};

struct SchedulerCause {
  std::string code;  // "": nothing is known of such a text
  std::string says;
  std::string remedy;  // "": there is none but waiting
  CauseKind kind = CauseKind::kOther;
};

// Of one reason's text.
SchedulerCause CauseOf(std::string_view text, const model::ResourceNames& names);

// Of a whole message: what holds for all nodes, else what the most nodes have of those that came
// nearest. An empty code when nothing is known of its texts. `passed_ours`: by their objects and
// their cards some nodes could hold the pod, so it is neither of these.
SchedulerCause ChooseCause(const SchedulerMessage& message, const model::ResourceNames& names,
                           bool passed_ours);

}  // namespace aliquot::cli
