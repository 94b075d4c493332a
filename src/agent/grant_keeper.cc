// SPDX-License-Identifier: Apache-2.0
#include "agent/grant_keeper.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <utility>

namespace aliquot::agent {

Status GrantKeeper::Recall(const std::string& boot_id) {
  auto recovered = store_.Recover(boot_id);
  if (!recovered.ok()) {
    return recovered.status();
  }
  for (const std::string& note : recovered->notes) {
    log_.Warn("agent", "found at start", {{"note", note}});
  }
  metrics_.CountDamaged(recovered->notes.size());
  live_.Recall(recovered->grants);
  log_.Info("agent", "grants recalled",
            {{"grants", static_cast<std::int64_t>(recovered->grants.size())}});
  return Status::Ok();
}

void GrantKeeper::End(const std::string& uid, std::string_view why) {
  const std::vector<std::string> ended = live_.EndPod(uid);
  const std::size_t removed = store_.Remove(uid);
  metrics_.CountRemoved(removed);
  if (!ended.empty() || removed != 0) {
    log_.Info("agent", "grants removed",
              {{"uid", uid}, {"pod", why}, {"grants", static_cast<std::int64_t>(removed)}});
  }
}

void GrantKeeper::PodsListed(const std::vector<std::string>& uids) {
  const std::set<std::string_view> all(uids.begin(), uids.end());
  for (const std::string& uid : live_.PodUids()) {
    if (all.count(uid) == 0) {
      End(uid, "gone while nobody watched");
    }
  }
}

std::optional<ContainerIdentity> GrantKeeper::Find(std::string_view name) const {
  auto record = store_.Find(name);
  return record ? std::optional(std::move(record->identity)) : std::nullopt;
}

bool GrantKeeper::Filled(std::string_view uid, std::string_view container) const {
  return store_.Filled(uid, container);
}

void GrantKeeper::CardsSeen(const Machine& machine) {
  const auto grants = live_.Snapshot();
  for (const auto& grant : *grants) {
    const bool stale = std::any_of(grant->cards.begin(), grant->cards.end(), [&](const auto& card) {
      const MachineCard* now = machine.FindUuid(card.uuid);
      return now != nullptr && now->card.minor != card.minor;
    });
    if (!stale) {
      continue;
    }
    const auto retired = store_.Retire(grant->name);
    if (!retired.ok() || *retired) {
      log_.Warn("agent", "a card has another number than when it was granted",
                {{"grant", grant->name},
                 {"pod", grant->identity.key.ToString()},
                 {"outcome", retired.ok() ? "taken out of place" : retired.status().message()}});
    }
  }
}

bool GrantKeeper::Sweep(const PodView& pods) {
  // In this order: whoever is in the book now was shown by the API server before.
  const std::set<std::string> booked = live_.PodUids();
  const PodsSnapshot now = pods.Snapshot();
  if (!now.synced) {
    return false;
  }
  std::set<std::string> shown;
  for (const auto& pod : *now.pods) {
    if (!pod->pod.finished()) {
      shown.insert(pod->pod.uid);
    }
  }
  for (const std::string& uid : booked) {
    if (shown.count(uid) == 0) {
      End(uid, "gone while it started");
    }
  }
  const SweepResult swept = store_.Sweep(shown);
  metrics_.CountRemoved(swept.removed);
  if (swept.removed != 0) {
    log_.Info("agent", "leftovers removed", {{"count", static_cast<std::int64_t>(swept.removed)}});
  }
  for (const GrownUsage& grown : swept.grown) {
    log_.Warn("agent", "usage file grown by its container",
              {{"pod", grown.pod},
               {"container", grown.container},
               {"cut", grown.error == 0},
               {"problem", grown.error == 0 ? "" : std::generic_category().message(grown.error)}});
  }
  return swept.more;
}

}  // namespace aliquot::agent
