// SPDX-License-Identifier: Apache-2.0
#include "extender/node_judge.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace aliquot::extender {
namespace {

// How many nodes are judged between two looks at the clock.
constexpr std::size_t kNodesPerClockRead = 64;
constexpr std::string_view kTooLate =
    "the nodes could not be judged in time; kube-scheduler will ask again";

std::vector<std::size_t> OrderByName(const std::vector<std::string_view>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&names](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  return order;
}

}  // namespace

// The nodes share one budget of search steps by the order of their names, so that the order of the
// request decides nothing. It decides nothing anyhow while the budget lasts, as each node may take
// no more than its own limit: only a request that runs low is gone through again in order, since
// sorting 5,000 names costs as much as recalling what is known of them.
Result<NodeJudge::Outcome> NodeJudge::Judge(const ledger::Snapshot& snapshot,
                                            const JudgeRequest& request) {
  const std::shared_ptr<Table> table = TableFor(request);
  MutexLock lock(table->mutex);
  Walk walk{snapshot, request, scoring::StepBudget(placer_.options()), {}, {}, false};
  Status status = Go(walk, {}, table->nodes);
  if (status.ok() && walk.budget_ran_low) {
    Walk again{snapshot, request, scoring::StepBudget(placer_.options()), {}, {}, false};
    status = Go(again, OrderByName(request.names), table->nodes);
    walk.outcome = std::move(again.outcome);
  }
  if (!status.ok()) {
    return status;
  }
  return std::move(walk.outcome);
}

Status NodeJudge::Go(Walk& walk, const std::vector<std::size_t>& order, std::vector<Kept>& nodes) {
  const std::vector<std::string_view>& names = walk.request.names;
  walk.outcome.judgements.resize(names.size());
  for (std::size_t done = 0; done < names.size(); ++done) {
    if (done % kNodesPerClockRead == 0 && walk.request.deadline &&
        clock_.SteadyNow() > *walk.request.deadline) {
      return Status(StatusCode::kDeadlineExceeded, std::string(kTooLate));
    }
    const std::size_t i = order.empty() ? done : order[done];
    const std::optional<std::uint32_t> place = walk.snapshot.PlaceOf(names[i]);
    if (!place) {
      continue;
    }
    if (*place >= nodes.size()) {
      nodes.resize(std::max<std::size_t>(*place + 1, names.size()));
    }
    const std::optional<Kept> known = Know(walk, *place, nodes[*place]);
    if (!known) {
      continue;
    }
    walk.outcome.judgements[i] = {known->refusal, known->rank};
    walk.outcome.cut_short = walk.outcome.cut_short || known->cut_short;
  }
  return Status::Ok();
}

// Most nodes have not changed since the last pod of the shape: of these no more than the version is
// read. Nothing when there is no node at the place.
std::optional<NodeJudge::Kept> NodeJudge::Know(Walk& walk, std::uint32_t place, Kept& kept) {
  if (kept.version != 0 && kept.version == walk.snapshot.PlainVersionAt(place) &&
      walk.budget.left() >= placer_.options().steps_per_node && Answers(walk.request, kept)) {
    walk.budget.Take(kept.steps);
    return kept;
  }
  scoring::NodeState node;
  if (!walk.snapshot.At(place, &node)) {
    return std::nullopt;
  }
  return Recall(walk, node, kept);
}

bool NodeJudge::Answers(const JudgeRequest& request, const Kept& kept) {
  return !request.ranked || kept.ranked || kept.refusal != scoring::Refusal::kNone;
}

// The kept judgement where it stands, else a new one. With less left than one node may take, the
// judgement depends on how much is left: nothing is recalled or kept then.
NodeJudge::Kept NodeJudge::Recall(Walk& walk, const scoring::NodeState& node, Kept& kept) {
  const bool full_budget = walk.budget.left() >= placer_.options().steps_per_node;
  if (node.claims != nullptr && node.claims->For(walk.request.ask.priority) != nullptr) {
    // What holds for a pod of this priority does not for the next of its shape.
    judged_.fetch_add(1, std::memory_order_relaxed);
    walk.budget_ran_low = walk.budget_ran_low || !full_budget;
    return JudgeNode(walk, node);
  }
  if (full_budget && kept.version == node.version && Answers(walk.request, kept)) {
    walk.budget.Take(kept.steps);
    return kept;
  }
  judged_.fetch_add(1, std::memory_order_relaxed);
  const Kept fresh = JudgeNode(walk, node);
  if (full_budget) {
    kept = fresh;
  } else {
    walk.budget_ran_low = true;
  }
  return fresh;
}

NodeJudge::Kept NodeJudge::JudgeNode(Walk& walk, const scoring::NodeState& node) const {
  const JudgeRequest& request = walk.request;
  scoring::Choice& choice = walk.choice;
  Kept fresh;
  fresh.version = node.version;
  fresh.ranked = request.ranked;
  const int before = walk.budget.left();
  if (request.ranked) {
    placer_.ChooseInto(node, request.ask, walk.budget, choice);
    if (choice.verdict.fits()) {
      fresh.rank = placer_.PolicyFor(request.ask).RankNode(node, request.ask, choice.cards);
    }
  } else {
    choice.verdict = placer_.Check(node, request.ask, walk.budget);
  }
  fresh.refusal = choice.verdict.refusal;
  fresh.cut_short = choice.verdict.cut_short;
  fresh.steps = before - walk.budget.left();
  return fresh;
}

NodeJudge::Question NodeJudge::QuestionOf(const scoring::Ask& ask) {
  return {(ask.tolerates_cordon ? "t " : "- ") + ask.demand.shape, ask.outlook.epoch};
}

std::shared_ptr<NodeJudge::Table> NodeJudge::TableFor(const JudgeRequest& request) {
  Question question = QuestionOf(request.ask);
  MutexLock lock(mutex_);
  const auto found = shapes_.find(question);
  if (found != shapes_.end()) {
    uses_.splice(uses_.end(), uses_, found->second.use);
    return found->second.table;
  }
  return Put(std::move(question), std::make_shared<Table>(request.ask), request.names.size()).table;
}

NodeJudge::Shape& NodeJudge::Put(Question question, std::shared_ptr<Table> table,
                                 std::size_t node_count) {
  // kube-scheduler asks about most of the cluster, so a request shows how large a table grows.
  const std::size_t table_bytes = std::max<std::size_t>(1, node_count) * sizeof(Kept);
  const std::size_t most = std::max<std::size_t>(1, capacity_bytes_ / table_bytes);
  const auto found = shapes_.find(question);
  if (found != shapes_.end()) {
    return found->second;
  }
  // A request that still uses a dropped table keeps it until it is done.
  while (shapes_.size() >= most) {
    shapes_.erase(uses_.front());
    uses_.pop_front();
  }
  uses_.push_back(question);
  Shape shape{std::move(table), std::prev(uses_.end())};
  return shapes_.emplace(std::move(question), std::move(shape)).first->second;
}

void NodeJudge::Prepare(const ledger::Snapshot& snapshot, const scoring::Outlook& outlook) {
  std::vector<std::shared_ptr<Table>> kept;
  {
    MutexLock lock(mutex_);
    kept.reserve(uses_.size());
    for (const Question& question : uses_) {
      if (question.epoch != outlook.epoch) {
        kept.push_back(shapes_.find(question)->second.table);
      }
    }
  }
  // The shape used last comes last, and so stays longest.
  for (const std::shared_ptr<Table>& each : kept) {
    const scoring::Ask ask(each->demand, each->tolerates_cordon, outlook);
    auto fresh = std::make_shared<Table>(ask);
    JudgeAll(snapshot, outlook, *fresh);
    MutexLock lock(mutex_);
    Put(QuestionOf(ask), std::move(fresh), snapshot.size());
  }
}

// Each node by itself, with all the steps that one node may take; but a shape takes no more steps
// over all nodes than a request may, and the nodes past that are left to the requests.
void NodeJudge::JudgeAll(const ledger::Snapshot& snapshot, const scoring::Outlook& outlook,
                         Table& table) {
  const std::vector<std::string_view> no_names;
  const JudgeRequest request{no_names,
                             scoring::Ask(table.demand, table.tolerates_cordon, outlook),
                             /*ranked=*/true,
                             {}};
  Walk walk{snapshot, request, scoring::StepBudget(placer_.options()), {}, {}, false};
  MutexLock lock(table.mutex);
  for (const scoring::NodeState& node : snapshot.Nodes()) {
    if (walk.budget.left() < placer_.options().steps_per_node) {
      return;
    }
    if (node.place >= table.nodes.size()) {
      table.nodes.resize(std::max<std::size_t>(node.place + 1, snapshot.size()));
    }
    Recall(walk, node, table.nodes[node.place]);
  }
}

void NodeJudge::KeepOnly(const scoring::Outlook& outlook) {
  MutexLock lock(mutex_);
  for (auto each = uses_.begin(); each != uses_.end();) {
    if (each->epoch == outlook.epoch) {
      ++each;
      continue;
    }
    shapes_.erase(*each);
    each = uses_.erase(each);
  }
}

}  // namespace aliquot::extender
