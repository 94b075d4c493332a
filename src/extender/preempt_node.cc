// SPDX-License-Identifier: Apache-2.0
#include "extender/preempt_node.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "extender/victim_search.h"
#include "ledger/card_uses.h"
#include "scoring/node_gate.h"
#include "scoring/pod_sums.h"

namespace aliquot::extender {
namespace {

using ledger::AddUses;
using ledger::HeldPod;
using scoring::PodSums;

// Steps that each node may still take when many nodes share a request's budget unfairly.
constexpr int kFewestSteps = 1000;

// What a pod of the node is to the preemption.
enum class Role {
  kStays,      // not lower in priority, or not certainly there for kube-scheduler
  kLeaving,    // gone soon by itself
  kMustLeave,  // kube-scheduler needs it to go, or the node stays closed while it is there
  kMayLeave,
};

bool Proposed(const Proposal& proposal, std::string_view uid) {
  return std::find(proposal.uids.begin(), proposal.uids.end(), uid) != proposal.uids.end();
}

class Planner {
 public:
  Planner(const ledger::NodeForPreemption& node, const Preemptor& preemptor,
          const Proposal& proposal, const scoring::Placer& placer, BudgetBook& budgets,
          scoring::StepBudget& budget)
      : node_(node),
        preemptor_(preemptor),
        proposal_(proposal),
        placer_(placer),
        budgets_(budgets),
        budget_(budget),
        need_(scoring::SumsOf(preemptor.ask.demand)),
        roles_(node.pods.size(), Role::kStays) {}

  std::optional<NodePlan> Plan() {
    if (node_.facts->inventory == nullptr || !SetRoles()) {
      return std::nullopt;
    }
    const VictimAnswer answer = FindVictims(Question(), evictable_);
    budget_.Take(answer.steps);
    if (!answer.found) {
      return std::nullopt;
    }
    for (const int victim : answer.victims) {
      roles_[places_[static_cast<std::size_t>(victim)]] = Role::kMustLeave;
    }
    NodePlan plan;
    plan.cut_short = answer.cut_short || cut_short_;
    if (!ChooseCards(plan)) {
      return std::nullopt;
    }
    ListVictims(plan);
    return plan.victims.empty() ? std::nullopt : std::optional<NodePlan>(std::move(plan));
  }

 private:
  using Victims = std::vector<std::pair<std::int64_t, std::string>>;  // priority, UID

  // False when a pod keeps the node closed and cannot be evicted.
  bool SetRoles() {
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      const HeldPod& pod = node_.pods[i];
      const bool proposed = Proposed(proposal_, pod.uid);
      // kube-scheduler fails on a victim that it does not see on the node: a reservation may be
      // somebody else's bind on its way.
      const bool there = pod.state == ledger::HoldState::kBound || proposed;
      if (pod.leaving) {
        roles_[i] = Role::kLeaving;
      } else if (pod.priority < preemptor_.ask.priority && there) {
        roles_[i] =
            pod.cards_unknown || (proposed && !Explained(pod)) ? Role::kMustLeave : Role::kMayLeave;
      } else if (pod.cards_unknown) {
        return false;
      }
    }
    return true;
  }

  // The sums that we know say why kube-scheduler wants this pod gone. What they do not explain
  // (a host port, another resource) may need just this pod.
  bool Explained(const HeldPod& pod) const {
    PodSums left = CapacityOf();
    for (const HeldPod& other : node_.pods) {
      if (other.uid == pod.uid || !Proposed(proposal_, other.uid)) {
        left -= other.sums;
      }
    }
    AddFreeHost(left, [&](const HeldPod& other) {
      return other.uid != pod.uid && Proposed(proposal_, other.uid);
    });
    return !left.Covers(need_);
  }

  // Of the cards only; CPU and memory come by AddFreeHost.
  PodSums CapacityOf() const {
    PodSums capacity;
    for (const model::Card& card : node_.facts->inventory->cards) {
      if (card.usable()) {
        capacity[PodSums::kCore] += model::kWholeCardCore;
        capacity[PodSums::kCardMib] += card.mib;
      }
    }
    return capacity;
  }

  // CPU and memory that are free once the pods of `gone` are; where that is not known, enough.
  template <typename Gone>
  void AddFreeHost(PodSums& sums, Gone gone) const {
    sums[PodSums::kCpuMilli] =
        node_.host_free ? node_.host_free->cpu_milli : need_[PodSums::kCpuMilli];
    sums[PodSums::kMemoryMib] =
        node_.host_free ? node_.host_free->memory_mib : need_[PodSums::kMemoryMib];
    for (const HeldPod& pod : node_.pods) {
      if (node_.host_free && gone(pod)) {
        sums[PodSums::kCpuMilli] += pod.sums[PodSums::kCpuMilli];
        sums[PodSums::kMemoryMib] += pod.sums[PodSums::kMemoryMib];
      }
    }
  }

  // What those that may leave must give back, so that the sums suffice: what is lacking by our
  // figures, but never more than kube-scheduler's own victims give back, as those suffice by its.
  PodSums Missing() const {
    PodSums free = CapacityOf();
    PodSums proposed;
    const auto leaves = [](Role role) {
      return role == Role::kLeaving || role == Role::kMustLeave;
    };
    PodSums freed_host;
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      const HeldPod& pod = node_.pods[i];
      if (!leaves(roles_[i])) {
        free -= pod.sums;
      } else {
        freed_host += pod.sums;
      }
      if (roles_[i] == Role::kMayLeave && Proposed(proposal_, pod.uid)) {
        proposed += pod.sums;
      }
    }
    free[PodSums::kCpuMilli] = HostFree(PodSums::kCpuMilli, freed_host);
    free[PodSums::kMemoryMib] = HostFree(PodSums::kMemoryMib, freed_host);
    PodSums missing;
    for (std::size_t i = 0; i < PodSums::kResources; ++i) {
      missing[i] = std::min({need_[i] - free[i], need_[i], proposed[i]});
    }
    return missing;
  }

  // Not known counts as nothing: then the victims must give back what kube-scheduler's do.
  std::int64_t HostFree(PodSums::Resource resource, const PodSums& freed) const {
    if (!node_.host_free) {
      return 0;
    }
    return freed[resource] + (resource == PodSums::kCpuMilli ? node_.host_free->cpu_milli
                                                             : node_.host_free->memory_mib);
  }

  VictimQuestion Question() {
    VictimQuestion question;
    question.used.resize(node_.facts->inventory->cards.size());
    for (const model::Card& card : node_.facts->inventory->cards) {
      question.mib.push_back(card.usable() ? card.mib : 0);
    }
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      if (roles_[i] == Role::kStays || roles_[i] == Role::kMayLeave) {
        AddUses(node_.pods[i].uses, +1, question.used);
      }
    }
    // Room that is kept for others is not there, whether theirs is there already or not.
    for (const ledger::PlacedClaim& claim : node_.claims) {
      if (claim.uid != preemptor_.uid && claim.priority >= preemptor_.ask.priority) {
        AddUses(claim.uses, +1, question.used);
      }
    }
    question.hardest = Hardest();
    question.max_sharers = placer_.options().max_sharers_per_card;
    question.max_steps =
        std::max(kFewestSteps, std::min(placer_.options().steps_per_node, budget_.left()));
    question.fits = [this](const std::vector<model::CardUse>& used) { return Fits(used); };
    CoverCandidates(question);
    question.missing = Missing();
    return question;
  }

  model::ContainerDemand Hardest() const {
    const auto& containers = preemptor_.ask.demand.containers;
    return *std::max_element(containers.begin(), containers.end(),
                             [](const model::ContainerDemand& a, const model::ContainerDemand& b) {
                               return std::make_pair(a.core * a.cards, a.mib) <
                                      std::make_pair(b.core * b.cards, b.mib);
                             });
  }

  // The budgets' allowances after those that must leave, and the candidates with theirs.
  void CoverCandidates(VictimQuestion& question) {
    BudgetCount count(budgets_);
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      const HeldPod& pod = node_.pods[i];
      if (roles_[i] == Role::kMustLeave) {
        count.Evict(count.Covering(pod.key, pod.labels));
      } else if (roles_[i] == Role::kMayLeave) {
        evictable_.push_back({pod.key.ToString() + "/" + pod.uid, pod.priority, pod.uses, pod.sums,
                              count.Covering(pod.key, pod.labels)});
        places_.push_back(i);
      }
    }
    question.allowed = count.allowed();
  }

  scoring::NodeState StateOf(const std::vector<model::CardUse>& used) {
    cards_.resize(used.size());
    for (std::size_t card = 0; card < used.size(); ++card) {
      const model::Card& known = node_.facts->inventory->cards[card];
      scoring::CardState& state = cards_[card];
      state.mib_total = ledger::Clamped<std::int32_t>(known.mib);
      state.usable = known.usable();
      ledger::ShowUse(used[card], state);
    }
    scoring::NodeState state;
    state.facts = node_.facts.get();
    state.cards = cards_.data();
    state.card_count = cards_.size();
    state.cordoned = node_.facts->cordoned;
    state.gate = scoring::GateOf(*node_.facts, cards_.data(), cards_.size());
    return state;
  }

  bool Fits(const std::vector<model::CardUse>& used) {
    const scoring::Verdict verdict = placer_.Check(StateOf(used), preemptor_.ask, budget_);
    cut_short_ = cut_short_ || verdict.cut_short;
    return verdict.fits();
  }

  // What the pod will take once the victims are gone.
  bool ChooseCards(NodePlan& plan) {
    std::vector<model::CardUse> used(node_.facts->inventory->cards.size());
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      if (roles_[i] == Role::kStays || roles_[i] == Role::kMayLeave) {
        AddUses(node_.pods[i].uses, +1, used);
      } else {
        plan.room.leaving.push_back(node_.pods[i].uid);
      }
    }
    for (const ledger::PlacedClaim& claim : node_.claims) {
      if (claim.uid != preemptor_.uid && claim.priority >= preemptor_.ask.priority) {
        AddUses(claim.uses, +1, used);
      }
    }
    const scoring::Choice choice = placer_.Choose(StateOf(used), preemptor_.ask, budget_);
    if (!choice.verdict.fits()) {
      return false;
    }
    plan.room.node = node_.facts->name;
    plan.room.uses = ledger::UsesOf(preemptor_.ask.demand, choice.cards, *node_.facts->inventory);
    return true;
  }

  // Those that must leave by now and what kube-scheduler wants gone besides our pods. When only the
  // leaving make the room, they are named: evicting them again does nothing, and the pod gets its
  // nomination.
  void ListVictims(NodePlan& plan) const {
    Victims victims = Strangers();
    for (std::size_t i = 0; i < node_.pods.size(); ++i) {
      if (roles_[i] == Role::kMustLeave) {
        victims.emplace_back(node_.pods[i].priority, node_.pods[i].uid);
      }
    }
    for (std::size_t i = 0; victims.empty() && i < node_.pods.size(); ++i) {
      const HeldPod& pod = node_.pods[i];
      if (roles_[i] == Role::kLeaving && pod.priority < preemptor_.ask.priority &&
          pod.state == ledger::HoldState::kBound) {
        victims.emplace_back(pod.priority, pod.uid);
      }
    }
    std::stable_sort(victims.begin(), victims.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    for (auto& [priority, uid] : victims) {
      plan.victims.push_back(std::move(uid));
    }
    plan.pdb_violations = Violations(plan.victims);
  }

  const HeldPod* Find(std::string_view uid) const {
    const auto found = std::find_if(node_.pods.begin(), node_.pods.end(),
                                    [uid](const HeldPod& pod) { return pod.uid == uid; });
    return found == node_.pods.end() ? nullptr : &*found;
  }

  // Victims that hold none of our cards: of those nothing is known but their place in the proposal,
  // which goes from the highest priority down.
  Victims Strangers() const {
    Victims strangers;
    std::int64_t priority = std::numeric_limits<std::int64_t>::min();
    for (auto uid = proposal_.uids.rbegin(); uid != proposal_.uids.rend(); ++uid) {
      if (const HeldPod* pod = Find(*uid)) {
        priority = std::max(priority, pod->priority);
      } else {
        strangers.emplace_back(priority, std::string(*uid));
      }
    }
    std::reverse(strangers.begin(), strangers.end());
    return strangers;
  }

  // By the budgets for our pods; for the others what the proposal says beyond our pods in it.
  std::int64_t Violations(const std::vector<std::string>& victims) const {
    if (!budgets_.listed()) {
      return proposal_.pdb_violations;
    }
    const std::vector<std::string> proposed(proposal_.uids.begin(), proposal_.uids.end());
    const std::int64_t strangers =
        std::max<std::int64_t>(0, proposal_.pdb_violations - BrokenBy(proposed));
    return BrokenBy(victims) + (AnyStranger() ? strangers : 0);
  }

  bool AnyStranger() const {
    return std::any_of(proposal_.uids.begin(), proposal_.uids.end(),
                       [this](std::string_view uid) { return Find(uid) == nullptr; });
  }

  std::int64_t BrokenBy(const std::vector<std::string>& uids) const {
    BudgetCount count(budgets_);
    std::int64_t broken = 0;
    for (const std::string& uid : uids) {
      if (const HeldPod* pod = Find(uid)) {
        broken += count.Evict(count.Covering(pod->key, pod->labels)) ? 1 : 0;
      }
    }
    return broken;
  }

  const ledger::NodeForPreemption& node_;
  const Preemptor& preemptor_;
  const Proposal& proposal_;
  const scoring::Placer& placer_;
  BudgetBook& budgets_;
  scoring::StepBudget& budget_;
  const PodSums need_;
  std::vector<Role> roles_;           // parallel to node_.pods
  std::vector<Evictable> evictable_;  // those that may leave
  std::vector<std::size_t> places_;   // parallel to evictable_: where in node_.pods
  std::vector<scoring::CardState> cards_;
  bool cut_short_ = false;
};

}  // namespace

std::optional<NodePlan> PlanNode(const ledger::NodeForPreemption& node, const Preemptor& preemptor,
                                 const Proposal& proposal, const scoring::Placer& placer,
                                 BudgetBook& budgets, scoring::StepBudget& budget) {
  return Planner(node, preemptor, proposal, placer, budgets, budget).Plan();
}

}  // namespace aliquot::extender
