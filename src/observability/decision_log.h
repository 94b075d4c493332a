// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>

#include "observability/log.h"

namespace aliquot::observability {

// One answer to "what becomes of this pod": a line of the log, keys as the members below.
struct Decision {
  Level level = Level::kInfo;
  std::string_view component;  // "extender", "admission", "allocator"
  std::string_view pod;        // "namespace/name"
  std::string_view uid;
  std::string_view node;     // empty: about no single node
  std::string_view verb;     // "filter", "prioritize", "bind", "preempt", "mutate", "translate",
                             // "stamp", "late_stamp"
  std::string_view outcome;  // one word of the verb's own list
  std::string_view reason;   // one sentence; empty when there is nothing to explain
  std::string_view cards;    // "server=0,1 side=3": minor numbers by container; empty: none chosen
  std::chrono::nanoseconds duration{0};
};

// Where decisions go. Thread-safe; never blocks on I/O, never throws; views are read during the
// call only. Decisions are never rate-limited: a line that is missing here was dropped because the
// log could not be written fast enough, and the metric log_lines_dropped_total says how many.
class DecisionLog {
 public:
  virtual ~DecisionLog() = default;
  virtual void Record(const Decision& decision) = 0;
};

class NullDecisionLog final : public DecisionLog {
 public:
  void Record(const Decision&) override {}
};

}  // namespace aliquot::observability
