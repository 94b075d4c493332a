// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"
#include "ledger/snapshot.h"
#include "model/demand.h"
#include "scoring/placer.h"
#include "scoring/refusal.h"

namespace aliquot::extender {

// What one node is worth to a pod.
struct Judgement {
  scoring::Refusal refusal = scoring::Refusal::kUnknownNode;
  std::int64_t rank = 0;  // of Policy::RankNode; only where asked for and where the pod fits
  bool fits() const { return refusal == scoring::Refusal::kNone; }
};

struct JudgeRequest {
  const std::vector<std::string_view>& names;
  scoring::Ask ask;
  bool ranked = false;
  std::optional<SteadyTime> deadline;
};

// Judges nodes for filter and prioritize. A cluster asks for few different shapes of pods, and
// between two requests few nodes change: so the last judgement of every node is kept for the shapes
// asked for lately, and only nodes of which the state has another version are judged anew. The
// answer is the same as without the cache, to the last search step: what a kept judgement had cost
// is taken from the request's budget again.
//
// Thread-safe; requests for one shape go one after the other. The placer and the clock must outlive
// it.
class NodeJudge {
 public:
  NodeJudge(const scoring::Placer& placer, const Clock& clock,
            std::size_t capacity_bytes = 64u << 20)
      : placer_(placer), clock_(clock), capacity_bytes_(capacity_bytes) {}

  struct Outcome {
    std::vector<Judgement> judgements;  // parallel to the request's names
    bool cut_short = false;             // the exact search of some node ran out of steps
  };
  // The error: the deadline passed.
  Result<Outcome> Judge(const ledger::Snapshot& snapshot, const JudgeRequest& request);

  // Nodes judged anew so far, for tests and benchmarks.
  std::int64_t judged() const { return judged_.load(std::memory_order_relaxed); }

 private:
  struct Kept {
    std::uint64_t version = 0;  // of the node's state; 0: nothing is kept
    std::int64_t rank = 0;
    std::int32_t steps = 0;
    scoring::Refusal refusal = scoring::Refusal::kNone;
    bool ranked = false;
    bool cut_short = false;
  };
  // One shape's judgements, by the nodes' places in the snapshot.
  struct Table {
    Mutex mutex;
    std::vector<Kept> nodes GUARDED_BY(mutex);
  };
  struct Shape {
    std::shared_ptr<Table> table;
    std::list<std::string>::iterator use;
  };

  // One request's way through its nodes.
  struct Walk {
    const ledger::Snapshot& snapshot;
    const JudgeRequest& request;
    scoring::StepBudget budget;
    scoring::Choice choice;  // its memory is used again for each node
    Outcome outcome;
    bool budget_ran_low = false;
  };

  std::shared_ptr<Table> TableFor(const JudgeRequest& request);
  // `order`: indices into the names; empty: as they are.
  Status Go(Walk& walk, const std::vector<std::size_t>& order, std::vector<Kept>& nodes);
  Kept Recall(Walk& walk, const scoring::NodeState& node, Kept& kept);
  Kept JudgeNode(Walk& walk, const scoring::NodeState& node) const;

  const scoring::Placer& placer_;
  const Clock& clock_;
  const std::size_t capacity_bytes_;
  std::atomic<std::int64_t> judged_{0};

  Mutex mutex_;
  StringMap<Shape> shapes_ GUARDED_BY(mutex_);
  std::list<std::string> uses_ GUARDED_BY(mutex_);  // least recent first
};

}  // namespace aliquot::extender
