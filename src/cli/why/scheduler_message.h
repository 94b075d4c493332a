// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kube-scheduler writes into the condition PodScheduled of a pod that it found no node for,
// taken apart. Source: kubernetes/pkg/scheduler/framework/types.go, FitError.Error, alike in 1.34
// and 1.37: "0/X nodes are available: <for all nodes at once>. <PostFilter>" or
// "0/X nodes are available: <N reason>, <N reason>. <PostFilter>", where PostFilter is the sentence
// of preemption, which repeats counts and reasons. Pure; thread-safe.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aliquot::cli {

struct SchedulerReason {
  std::int64_t nodes = 0;
  std::string text;  // "node(s) had untolerated taint(s)"
};

struct SchedulerMessage {
  std::int64_t nodes = -1;               // of the cluster; -1: the text has another form
  std::string for_all;                   // the reason that holds whatever the node; "": none
  std::vector<SchedulerReason> reasons;  // the most nodes first, equals as in the text

  // All of it but what preemption says: for people.
  std::string Text() const;
};

// A text of another form is a reason for all nodes.
SchedulerMessage ParseSchedulerMessage(std::string_view text);

}  // namespace aliquot::cli
