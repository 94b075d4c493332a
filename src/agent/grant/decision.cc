// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/decision.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "agent/grant/driver_limits.h"
#include "agent/grant/grant_name.h"
#include "agent/grant/isolation_choice.h"
#include "api/allocation_codec.h"
#include "base/strings.h"
#include "model/names.h"
#include "quota/limits_record.h"

namespace aliquot::agent {
namespace {

// No signature is longer. Where no keys are configured anything may stand in its place, and what is
// kept of it must not make the grant's record too long to be read again.
constexpr std::size_t kMaxSignatureBytes = 256;

constexpr std::int64_t kWhole = model::kWholeCardCore;

std::string Whose(const ContainerIdentity& identity) {
  return "container " + Printable(identity.container) + " of pod " +
         Printable(identity.key.ToString(), 320);
}

std::string Percent(std::int64_t core) { return std::to_string(core) + " %"; }
std::string Mib(std::int64_t mib) { return std::to_string(mib) + " MiB"; }

Refusal Refuse(RefusalReason reason, std::string sentence) { return {reason, std::move(sentence)}; }

using MaybeRefusal = std::optional<Refusal>;

// The record's form and that it is meant for this pod and node. On success `allocation` is set.
MaybeRefusal CheckRecord(const ContainerIdentity& identity, const GrantFacts& facts,
                         model::Allocation& allocation) {
  const std::string whose = Whose(identity);
  if (identity.deleting) {
    return Refuse(RefusalReason::kPodDeleting,
                  whose +
                      " is not started, because metadata.deletionTimestamp of the pod is set; "
                      "wait until the pod is gone");
  }
  if (identity.allocation.empty()) {
    return Refuse(RefusalReason::kNoAllocation,
                  whose + " has no cards, because the pod has no annotation " +
                      std::string(model::kAllocationAnnotation) +
                      "; the allocator writes it, so see that aliquot-allocator runs");
  }
  if (facts.verify) {
    const Status verified = facts.verify(identity.allocation, identity.signature);
    if (!verified.ok()) {
      return Refuse(RefusalReason::kBadSignature,
                    whose + " has no cards that can be trusted: " + verified.message());
    }
  }
  auto parsed = api::ParseAllocation(identity.allocation);
  if (!parsed.ok()) {
    return Refuse(RefusalReason::kRecordVersion,
                  whose + " has an annotation " + std::string(model::kAllocationAnnotation) +
                      " that this agent cannot read: " + parsed.status().message());
  }
  allocation = *std::move(parsed);
  if (allocation.uid != identity.uid) {
    return Refuse(RefusalReason::kWrongPod,
                  whose + " has the record of another pod: its uid is \"" +
                      Printable(allocation.uid) + "\" and the pod's is \"" +
                      Printable(identity.uid) + "\"; delete the pod and create it without " +
                      std::string(model::kAllocationAnnotation));
  }
  if (allocation.node != facts.node_name) {
    return Refuse(RefusalReason::kWrongNode,
                  whose + " has a record for node \"" + Printable(allocation.node) +
                      "\" and this is node \"" + facts.node_name +
                      "\"; delete the pod and create it again, so that it is bound here properly");
  }
  return std::nullopt;
}

// The device IDs, the record and the spec ask for the same.
MaybeRefusal CheckSize(const std::vector<std::string>& device_ids,
                       const ContainerIdentity& identity,
                       const model::AllocatedContainer& container) {
  const auto mismatch = [&](const std::string& what) {
    return Refuse(RefusalReason::kSizeMismatch, Whose(identity) + " " + what +
                                                    "; delete the pod and create it again, so that "
                                                    "record and spec agree");
  };
  if (std::set<std::string>(device_ids.begin(), device_ids.end()).size() != device_ids.size()) {
    return mismatch("was given one device ID twice by the kubelet");
  }
  std::int64_t core = 0;
  std::int64_t mib = 0;
  std::size_t whole = 0;
  for (const model::AllocatedCard& card : container.cards) {
    core += card.core;
    mib += card.mib;
    whole += card.core == kWhole ? 1 : 0;
  }
  const auto ids = static_cast<std::int64_t>(device_ids.size());
  if (core != ids) {
    return mismatch("has " + Percent(core) + " in its record and " + std::to_string(ids) +
                    " device IDs of 1 %");
  }
  if (identity.core != 0 && identity.core != core) {
    return mismatch("asks for " + Percent(identity.core) + " in its spec and has " + Percent(core) +
                    " in its record");
  }
  if (whole != 0 ? whole != container.cards.size() : core >= kWhole) {
    return mismatch("has " + Percent(core) + " over " + std::to_string(container.cards.size()) +
                    " cards in its record, which is neither one share under 100 % nor whole cards");
  }
  if (container.cards.size() > quota::kMaxCards) {
    return mismatch("has " + std::to_string(container.cards.size()) +
                    " cards in its record, and a container can be given " +
                    std::to_string(quota::kMaxCards));
  }
  if (whole != 0) {
    return std::nullopt;  // a whole card's memory is the card's, whatever record and spec say
  }
  if (std::any_of(container.cards.begin(), container.cards.end(),
                  [](const model::AllocatedCard& card) { return card.mib == 0; })) {
    return mismatch("has a share of a card without memory in its record");
  }
  const std::int64_t asked = identity.memory_units * model::kMebibytesPerMemoryUnit;
  if (identity.core != 0 && asked != mib) {
    return mismatch("asks for " + Mib(asked) + " in its spec and has " + Mib(mib) +
                    " in its record");
  }
  return std::nullopt;
}

// The card is here, well and ours.
MaybeRefusal CheckCard(const ContainerIdentity& identity, const std::string& uuid,
                       const GrantFacts& facts, const MachineCard* card) {
  const auto unhealthy = [&](const std::string& what) {
    return Refuse(RefusalReason::kCardUnhealthy,
                  Whose(identity) + " has card " + uuid + ", which " + what +
                      "; it starts when the card is back, or delete the pod so that it gets "
                      "another");
  };
  if (card == nullptr) {
    return unhealthy("is lost: the driver of this node does not list it");
  }
  const auto found = facts.standing->find(uuid);
  if (found == facts.standing->end()) {
    return unhealthy("has not been checked yet");
  }
  if (found->second.health != "ok") {
    return unhealthy("is unhealthy (" + found->second.health + ")");
  }
  for (const std::string* mode : {&found->second.mode, &card->card.mode}) {
    if (!mode->empty() && *mode != "none") {
      return unhealthy("is not Aliquot's to share (" + *mode + ")");
    }
  }
  return std::nullopt;
}

// What the live grants that stay hold of the card, and this one besides, is within it.
MaybeRefusal CheckRoom(const ContainerIdentity& identity, const GrantedCard& wanted,
                       const model::Card& card, const LiveList& live) {
  std::int64_t core = 0;
  std::int64_t mib = 0;
  for (const auto& grant : live) {
    if (EndsAtStartOf(grant->identity, identity)) {
      continue;
    }
    for (const GrantedCard& each : grant->cards) {
      if (each.uuid == wanted.uuid) {
        core += each.core;
        mib += each.mib;
      }
    }
  }
  if (core + wanted.core <= kWhole && mib + wanted.mib <= card.mib) {
    return std::nullopt;
  }
  return Refuse(RefusalReason::kCardBusy,
                Whose(identity) + " has " + Percent(wanted.core) + " and " + Mib(wanted.mib) +
                    " of card " + wanted.uuid + ", of which running containers still hold " +
                    Percent(core) + " and " + Mib(mib) + " of " + Mib(card.mib) +
                    "; it starts when they have ended");
}

MaybeRefusal CheckIds(const ContainerIdentity& identity, const std::string& name,
                      const LiveList& live) {
  for (const auto& grant : live) {
    if (grant->name == name && !EndsAtStartOf(grant->identity, identity)) {
      return Refuse(RefusalReason::kIdsInUse,
                    Whose(identity) +
                        " was given device IDs that another live container still holds; it starts "
                        "when that one has ended");
    }
  }
  return std::nullopt;
}

// The cards by UUID, as this machine has them now. Judged one by one, in the record's order.
MaybeRefusal TakeCards(const ContainerIdentity& identity,
                       const model::AllocatedContainer& container, const GrantFacts& facts,
                       GrantPlan& plan) {
  for (const model::AllocatedCard& allocated : container.cards) {
    const MachineCard* found = facts.machine->FindUuid(allocated.uuid);
    if (auto refusal = CheckCard(identity, allocated.uuid, facts, found)) {
      return refusal;
    }
    const std::int64_t mib = allocated.core == kWhole ? found->card.mib : allocated.mib;
    plan.record.cards.push_back({allocated.uuid, found->card.minor, allocated.core, mib});
    if (auto refusal = CheckRoom(identity, plan.record.cards.back(), found->card, *facts.live)) {
      return refusal;
    }
    plan.nodes.push_back(found->node);
  }
  plan.nodes.insert(plan.nodes.end(), facts.machine->control.begin(), facts.machine->control.end());
  return std::nullopt;
}

// Who holds the container to its share. Pre: the plan has its cards.
MaybeRefusal TakeIsolation(const ContainerIdentity& identity, const GrantFacts& facts,
                           GrantPlan& plan) {
  IsolationFacts node;
  node.asked = plan.record.isolation;
  node.whole = plan.record.cards.front().core == kWhole;
  node.library = facts.library.available();
  node.driver_limits_problem =
      DriverLimitsProblem(plan.record.cards, *facts.machine, facts.driver, facts.cgroup_v2);
  node.allow_none = facts.allow_none;
  const auto choice = ChooseIsolation(node);
  if (!choice.ok()) {
    return Refuse(RefusalReason::kIsolation, Whose(identity) + " " + choice.status().message());
  }
  plan.record.enforcement = choice->enforcement;
  plan.driver_limits = choice->driver_limits;
  if (choice->library) {
    plan.library = facts.library;
    plan.record.library = facts.library.version;
  }
  return std::nullopt;
}

}  // namespace

bool EndsAtStartOf(const ContainerIdentity& live, const ContainerIdentity& starting) {
  if (live.uid != starting.uid) {
    return false;
  }
  if (live.container == starting.container) {
    return true;
  }
  const auto comes_after = [](const ContainerIdentity& later, const ContainerIdentity& earlier) {
    const bool later_is_app = later.kind == model::ContainerKind::kApp;
    const bool earlier_is_app = earlier.kind == model::ContainerKind::kApp;
    return later_is_app ? !earlier_is_app : !earlier_is_app && later.index > earlier.index;
  };
  return (live.kind == model::ContainerKind::kInit && comes_after(starting, live)) ||
         (starting.kind == model::ContainerKind::kInit && comes_after(live, starting));
}

Granted<GrantPlan> DecideGrant(const std::vector<std::string>& device_ids,
                               const ContainerIdentity& identity, const GrantFacts& facts) {
  model::Allocation allocation;
  if (auto refusal = CheckRecord(identity, facts, allocation)) {
    return *std::move(refusal);
  }
  const auto container = std::find_if(
      allocation.containers.begin(), allocation.containers.end(),
      [&](const model::AllocatedContainer& each) { return each.name == identity.container; });
  if (container == allocation.containers.end()) {
    return Refuse(RefusalReason::kNoAllocation, Whose(identity) +
                                                    " is not named by the pod's annotation " +
                                                    std::string(model::kAllocationAnnotation) +
                                                    "; delete the pod and create it again");
  }
  if (auto refusal = CheckSize(device_ids, identity, *container)) {
    return *std::move(refusal);
  }
  GrantPlan plan;
  plan.record.name = GrantName(device_ids);
  if (auto refusal = CheckIds(identity, plan.record.name, *facts.live)) {
    return *std::move(refusal);
  }
  if (auto refusal = TakeCards(identity, *container, facts, plan)) {
    return *std::move(refusal);
  }
  if (!facts.driver.usable()) {
    return Refuse(
        RefusalReason::kNoDriverDelivery,
        Whose(identity) + " cannot be given the driver's libraries: " + facts.driver.sentence);
  }
  plan.record.device_ids = device_ids;
  std::sort(plan.record.device_ids.begin(), plan.record.device_ids.end());
  plan.record.identity = identity;
  plan.record.identity.deleting = false;
  plan.record.identity.recalled = false;
  if (plan.record.identity.signature.size() > kMaxSignatureBytes) {
    plan.record.identity.signature.clear();
  }
  plan.record.limit = container->limit;
  plan.record.isolation = container->isolation;
  if (auto refusal = TakeIsolation(identity, facts, plan)) {
    return *std::move(refusal);
  }
  plan.driver = facts.driver;
  plan.record.driver = facts.driver.directory;
  return plan;
}

}  // namespace aliquot::agent
