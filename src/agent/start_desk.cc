// SPDX-License-Identifier: Apache-2.0
#include "agent/start_desk.h"

#include <utility>

#include "agent/grant/grant_name.h"

namespace aliquot::agent {
namespace {

// What the kubelet prints into the pod's status: the sentence, and a word to search for.
Status StatusOf(const Refusal& refusal) {
  return FailedPrecondition(std::string(RefusalName(refusal.reason)) + ": " + refusal.sentence);
}

std::string CardsText(const GrantRecord& record) {
  std::string text;
  for (const GrantedCard& card : record.cards) {
    text += (text.empty() ? "" : ",") + std::to_string(card.minor);
  }
  return text;
}

}  // namespace

StartDesk::StartDesk(std::string node_name, EditOptions edits, const Parts& parts,
                     std::function<DeskFacts()> facts, Verify verify)
    : node_name_(std::move(node_name)),
      edits_(std::move(edits)),
      parts_(parts),
      facts_(std::move(facts)),
      verify_(std::move(verify)) {}

Result<ContainerEdits> StartDesk::Allocate(const std::vector<std::string>& device_ids) {
  const SteadyTime started = parts_.clock.SteadyNow();
  const std::string name = GrantName(device_ids);
  // The kubelet gives these IDs to a container to come. What lies under their name is of one that
  // has ended, and must be gone in case PreStartContainer is left out (the kubelet does so between
  // its own restart and our next registration).
  const auto retired = parts_.store.Retire(name);
  parts_.metrics.CountAllocate(retired.ok(), parts_.clock.SteadyNow() - started);
  if (!retired.ok()) {
    parts_.log.Warn("agent", "allocation refused", {{"problem", retired.status().message()}});
    return retired.status();
  }
  return ContainerEditsFor(device_ids, edits_);
}

Status StartDesk::PreStart(const std::vector<std::string>& device_ids) {
  const SteadyTime started = parts_.clock.SteadyNow();
  ContainerIdentity who;
  const auto plan = Grant(device_ids, who);
  const auto took = parts_.clock.SteadyNow() - started;
  if (!plan.ok()) {
    parts_.metrics.CountRefused(plan.refusal().reason, took);
    Report(plan.refusal(), who);
    return StatusOf(plan.refusal());
  }
  parts_.metrics.CountGranted(took);
  parts_.log.Info("agent", "granted",
                  {{"pod", who.key.ToString()},
                   {"uid", who.uid},
                   {"container", who.container},
                   {"cards", CardsText(plan->record)},
                   {"enforcement", plan->record.enforcement},
                   {"driverLimits", plan->driver_limits},
                   {"grant", plan->record.name}});
  return Status::Ok();
}

Granted<GrantPlan> StartDesk::Grant(const std::vector<std::string>& device_ids,
                                    ContainerIdentity& who) {
  auto resolved = parts_.resolver.Resolve(device_ids);
  if (!resolved.ok()) {
    return resolved.refusal();
  }
  who = *std::move(resolved);
  const DeskFacts now = facts_();
  GrantFacts facts;
  facts.node_name = node_name_;
  facts.machine = now.machine.get();
  facts.standing = &now.standing;
  facts.verify = verify_;
  facts.driver = now.driver;
  facts.library = now.library;
  facts.cgroup_v2 = now.cgroup_v2;
  facts.allow_none = now.allow_none;
  auto plan = parts_.live.Decide(device_ids, who, facts);
  if (!plan.ok()) {
    return plan;
  }
  if (auto refusal = parts_.store.Write(*plan)) {
    parts_.live.Cancel(*plan);
    return *std::move(refusal);
  }
  return plan;
}

void StartDesk::Report(const Refusal& refusal, const ContainerIdentity& who) {
  const std::string_view reason = RefusalName(refusal.reason);
  parts_.log.Warn("agent", "start refused",
                  {{"pod", who.uid.empty() ? std::string() : who.key.ToString()},
                   {"uid", who.uid},
                   {"container", who.container},
                   {"reason", reason},
                   {"sentence", refusal.sentence}});
  if (!who.uid.empty()) {
    parts_.events.Post(
        who.key, who.uid, true, "GpuGrantRefused", "Start",
        "container " + who.container + ": " + std::string(reason) + ": " + refusal.sentence);
  }
  for (const Refusal::Pod& pod : refusal.about) {
    parts_.events.Post(pod.key, pod.uid, true, "GpuGrantRefused", "Start",
                       std::string(reason) + ": " + refusal.sentence);
  }
}

}  // namespace aliquot::agent
