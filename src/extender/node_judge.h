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
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/status.h"
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
// is taken from the request's budget again. Ranks hold for one outlook; before another comes into
// use, Prepare ranks the kept shapes by it, so that no request waits for thousands of ranks.
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

  // Judges all nodes for the shapes that are kept as if they were asked for with this outlook, for
  // requests to come; meanwhile requests with the outlook of before find what they did. Takes long:
  // for a thread in the background.
  void Prepare(const ledger::Snapshot& snapshot, const scoring::Outlook& outlook);
  // Forgets what is kept for every other outlook.
  void KeepOnly(const scoring::Outlook& outlook);

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
  // What a request is kept under.
  struct Question {
    std::string shape;  // and whether cordons are tolerated
    std::uint64_t epoch = 0;

    friend bool operator==(const Question& a, const Question& b) {
      return a.epoch == b.epoch && a.shape == b.shape;
    }
    template <typename H>
    friend H AbslHashValue(H state, const Question& question) {
      return H::combine(std::move(state), question.shape, question.epoch);
    }
  };
  // One question's judgements, by the nodes' places in the snapshot.
  struct Table {
    explicit Table(const scoring::Ask& ask)
        : demand(ask.demand), tolerates_cordon(ask.tolerates_cordon) {}

    const model::PodDemand demand;
    const bool tolerates_cordon;
    Mutex mutex;
    std::vector<Kept> nodes GUARDED_BY(mutex);
  };
  struct Shape {
    std::shared_ptr<Table> table;
    std::list<Question>::iterator use;
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

  static Question QuestionOf(const scoring::Ask& ask);
  std::shared_ptr<Table> TableFor(const JudgeRequest& request);
  // Puts the table there unless there is one, after making room among those least used.
  Shape& Put(Question question, std::shared_ptr<Table> table, std::size_t node_count)
      REQUIRES(mutex_);
  void JudgeAll(const ledger::Snapshot& snapshot, const scoring::Outlook& outlook, Table& table);
  // `order`: indices into the names; empty: as they are.
  Status Go(Walk& walk, const std::vector<std::size_t>& order, std::vector<Kept>& nodes);
  std::optional<Kept> Know(Walk& walk, std::uint32_t place, Kept& kept);
  Kept Recall(Walk& walk, const scoring::NodeState& node, Kept& kept);
  // Does what is kept say all that is asked?
  static bool Answers(const JudgeRequest& request, const Kept& kept);
  Kept JudgeNode(Walk& walk, const scoring::NodeState& node) const;

  const scoring::Placer& placer_;
  const Clock& clock_;
  const std::size_t capacity_bytes_;
  std::atomic<std::int64_t> judged_{0};

  Mutex mutex_;
  absl::flat_hash_map<Question, Shape> shapes_ GUARDED_BY(mutex_);
  std::list<Question> uses_ GUARDED_BY(mutex_);  // least recent first
};

}  // namespace aliquot::extender
