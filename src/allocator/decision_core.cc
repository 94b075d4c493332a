// SPDX-License-Identifier: Apache-2.0
#include "allocator/decision_core.h"

#include <algorithm>
#include <optional>

#include "model/demand.h"
#include "scoring/cluster_figures.h"
#include "scoring/policy_registry.h"

namespace aliquot::allocator {
namespace {

scoring::PlacerOptions PlacerOptionsOf(const Configuration& configuration) {
  scoring::PlacerOptions options;
  options.max_sharers_per_card = static_cast<int>(configuration.max_sharers_per_card);
  options.steps_per_node = static_cast<int>(configuration.search.steps_per_node);
  options.steps_per_request = static_cast<int>(configuration.search.steps_per_request);
  return options;
}

// The configuration offers the registry's names only.
const scoring::Policy& PolicyOf(const Configuration& configuration) {
  return *scoring::FindPolicy(configuration.scoring_policy);
}

extender::BindDeskOptions DeskOptionsOf(const Configuration& configuration) {
  extender::BindDeskOptions options;
  options.answer_within = configuration.deadlines.bind;
  options.settle_after = configuration.deadlines.bind_settle;
  return options;
}

extender::FilterOptions FilterOptionsOf(const Configuration& configuration) {
  extender::FilterOptions options;
  options.deadline = configuration.deadlines.filter;
  return options;
}

extender::AnnotationOptions AnnotationOptionsOf(const Configuration& configuration,
                                                const signing::Signer* signer) {
  return {configuration.gpu_assigned_annotation, signer};
}

reconcile::StampLedgerOptions StampOptionsOf(const Configuration& configuration) {
  reconcile::StampLedgerOptions options;
  options.reservation = configuration.stamp_reservation;
  return options;
}

std::int64_t LargestCard(const ledger::Snapshot& snapshot) {
  std::int64_t largest = 0;
  for (const scoring::NodeState& node : snapshot.Nodes()) {
    for (std::size_t i = 0; i < node.card_count; ++i) {
      largest = std::max<std::int64_t>(largest, node.cards[i].mib_total);
    }
  }
  return largest;
}

observability::LedgerFigures FiguresOf(const ledger::LedgerCounts& counts) {
  observability::LedgerFigures figures;
  figures.nodes = counts.nodes;
  figures.cards = counts.cards;
  figures.pods_bound = counts.pods_bound;
  figures.pods_reserved = counts.pods_reserved;
  figures.pods_unstamped = counts.pods_unstamped;
  figures.core_total = counts.core_total;
  figures.core_used = counts.core_used;
  figures.mib_total = counts.mib_total;
  figures.mib_used = counts.mib_used;
  return figures;
}

}  // namespace

DecisionCore::DecisionCore(const Configuration& c, model::ClusterWriter& writer,
                           const Instruments& i, const signing::Signer* signer)
    : instruments_(i),
      names_(c.resource_names),
      placer_(PlacerOptionsOf(c), PolicyOf(c)),
      ledger_(placer_, catalog_, names_, i.clock),
      queue_(i.clock, program::WorkQueueOptions{}),
      desk_(ledger_, writer, i.clock, i.metrics, i.decisions, DeskOptionsOf(c)),
      reporter_(queue_, writer, i.clock, i.metrics, i.log),
      late_stamp_(ledger_, writer, queue_, reporter_, names_, i.clock, i.metrics, i.decisions,
                  AnnotationOptionsOf(c, signer)),
      requeue_(ledger_, pending_, placer_, writer, queue_, i.clock, i.log),
      intake_(ledger_, pending_, desk_, late_stamp_, reporter_, names_),
      follower_(ledger_, writer, queue_, intake_),
      observer_(ledger_, follower_, late_stamp_, budgets_, sync_),
      readiness_(sync_),
      judge_(placer_, i.clock),
      filter_(ledger_, pending_, judge_, names_, i.clock, i.metrics, i.decisions,
              FilterOptionsOf(c)),
      prioritize_(ledger_, judge_, names_, i.clock, i.metrics, i.decisions),
      bind_(ledger_, pending_, desk_, writer, names_, i.clock, i.metrics, i.decisions,
            AnnotationOptionsOf(c, signer)),
      preempt_(ledger_, budgets_, placer_, names_, i.clock, i.metrics, i.decisions,
               extender::PreemptOptions()),
      stamp_ledger_(ledger_, pending_, placer_, i.clock, i.decisions,
                    AnnotationOptionsOf(c, signer), StampOptionsOf(c)),
      scheduler_users_(c.admission.scheduler_users) {
  FollowTheMix();
  ledger_.OnRoom([this](std::string_view node) { requeue_.RoomMade(node); });
  filter_.OnFitsInSumOnly([this](const model::Pod& pod) {
    // The watch will tell when it is gone; of a pod that it does not show nothing may be kept.
    const auto known = pending_.FindUid(pod.uid);
    if (known != nullptr && known->watched) {
      reporter_.ReportFitsInSumOnly(pod);
    }
  });
  mutate_options_.names = names_;
  mutate_options_.scheduler_name = c.admission.scheduler_name;
  translate_options_.names = names_;
  if (c.admission.card_memory_mib > 0) {
    translate_options_.card_mib = c.admission.card_memory_mib;
  }
  mutate_options_.largest_card_mib = [this]() -> std::optional<std::int64_t> {
    const std::int64_t mib = largest_card_mib_.load(std::memory_order_relaxed);
    return mib == 0 ? std::nullopt : std::optional(mib);
  };
}

// The mix of pods is learned from those that filter is asked about and those that the watch shows:
// after a start also from the pods that are bound already.
void DecisionCore::FollowTheMix() {
  filter_.OnAsked([this](const model::Pod& pod, const model::PodDemand& demand) {
    learner_.Learn(pod.uid, demand);
  });
  intake_.OnSeen([this](const model::Pod& pod) {
    if (learner_.Knows(pod.uid)) {
      return;
    }
    const auto demand = model::DemandOf(pod, names_);
    if (demand.ok()) {
      learner_.Learn(pod.uid, *demand);
    }
  });
}

// Requests use the outlook of before until all that is kept has been ranked by the new one.
void DecisionCore::RenewOutlook() {
  const auto snapshot = ledger_.Read();
  scoring::ClusterFigures figures;
  for (const scoring::NodeState& node : snapshot->Nodes()) {
    scoring::AddNode(node, figures);
  }
  const auto outlook = learner_.Publish(figures);
  judge_.Prepare(*snapshot, *outlook);
  ledger_.SetOutlook(outlook);
  judge_.KeepOnly(*outlook);
}

void DecisionCore::Tick() {
  constexpr int kTicksBetweenFigures = 10;
  desk_.Tick();
  ledger_.ReleaseExpired();
  if (ticks_++ % kTicksBetweenFigures == 0) {
    RefreshFigures();
    if (readiness_.synced() && learner_.Due()) {
      queue_.Add("outlook", [this] {
        RenewOutlook();
        return program::WorkQueue::Outcome::kDone;
      });
    }
  }
}

void DecisionCore::RefreshFigures() {
  instruments_.metrics.SetLedger(FiguresOf(ledger_.Counts()));
  instruments_.metrics.SetDegraded(observability::Degraded::kNotSynced, !readiness_.synced());
  largest_card_mib_.store(LargestCard(*ledger_.Read()), std::memory_order_relaxed);
}

void DecisionCore::Stop() {
  desk_.Stop();
  queue_.Stop();
}

}  // namespace aliquot::allocator
