// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/live_grants.h"

#include <algorithm>
#include <utility>

namespace aliquot::agent {

Granted<GrantPlan> LiveGrants::Decide(const std::vector<std::string>& device_ids,
                                      const ContainerIdentity& identity, GrantFacts facts) {
  MutexLock lock(mutex_);
  facts.live = live_.get();
  Granted<GrantPlan> decided = DecideGrant(device_ids, identity, facts);
  if (!decided.ok()) {
    return decided;
  }
  auto next = std::make_shared<LiveList>();
  next->reserve(live_->size() + 1);
  std::copy_if(live_->begin(), live_->end(), std::back_inserter(*next),
               [&](const auto& each) { return !EndsAtStartOf(each->identity, identity); });
  GrantPlan plan = *std::move(decided);
  plan.booking = std::make_shared<const GrantRecord>(plan.record);
  next->push_back(plan.booking);
  live_ = std::move(next);
  return plan;
}

void LiveGrants::Cancel(const GrantPlan& plan) {
  MutexLock lock(mutex_);
  auto next = std::make_shared<LiveList>();
  std::copy_if(live_->begin(), live_->end(), std::back_inserter(*next),
               [&](const auto& each) { return each != plan.booking; });
  live_ = std::move(next);
}

void LiveGrants::Recall(const std::vector<GrantRecord>& records) {
  MutexLock lock(mutex_);
  auto next = std::make_shared<LiveList>(*live_);
  std::set<std::string> names;
  for (const auto& each : *next) {
    names.insert(each->name);
  }
  for (const GrantRecord& record : records) {
    if (names.insert(record.name).second) {
      next->push_back(std::make_shared<const GrantRecord>(record));
    }
  }
  live_ = std::move(next);
}

std::vector<std::string> LiveGrants::EndPod(const std::string& uid) {
  std::vector<std::string> ended;
  MutexLock lock(mutex_);
  auto next = std::make_shared<LiveList>();
  for (const auto& each : *live_) {
    if (each->identity.uid == uid) {
      ended.push_back(each->name);
    } else {
      next->push_back(each);
    }
  }
  if (!ended.empty()) {
    live_ = std::move(next);
  }
  return ended;
}

std::shared_ptr<const LiveList> LiveGrants::Snapshot() const {
  MutexLock lock(mutex_);
  return live_;
}

std::map<std::string, CardHoldings> LiveGrants::HoldingsByCard() const {
  std::map<std::string, CardHoldings> holdings;
  const auto live = Snapshot();
  for (const auto& grant : *live) {
    for (const GrantedCard& card : grant->cards) {
      CardHoldings& held = holdings[card.uuid];
      held.core += card.core;
      held.mib += card.mib;
      ++held.grants;
    }
  }
  return holdings;
}

std::set<std::string> LiveGrants::DeviceIds() const {
  std::set<std::string> ids;
  const auto live = Snapshot();
  for (const auto& grant : *live) {
    ids.insert(grant->device_ids.begin(), grant->device_ids.end());
  }
  return ids;
}

std::set<std::string> LiveGrants::PodUids() const {
  std::set<std::string> uids;
  const auto live = Snapshot();
  for (const auto& grant : *live) {
    uids.insert(grant->identity.uid);
  }
  return uids;
}

}  // namespace aliquot::agent
