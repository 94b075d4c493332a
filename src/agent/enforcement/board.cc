// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/board.h"

#include <algorithm>
#include <utility>

#include "model/names.h"

namespace aliquot::agent {

bool IsHeld(const GrantedCard& card) { return card.core < model::kWholeCardCore; }

std::vector<std::shared_ptr<const GrantRecord>> HeldGrants(const LiveList& live) {
  std::vector<std::shared_ptr<const GrantRecord>> held;
  std::copy_if(live.begin(), live.end(), std::back_inserter(held), [](const auto& grant) {
    return !grant->library.empty() && std::any_of(grant->cards.begin(), grant->cards.end(), IsHeld);
  });
  return held;
}

std::string HeldKey(const GrantRecord& grant) {
  return grant.name + "/" + grant.identity.uid + "/" + grant.identity.container;
}

void EnforcementBoard::Begin(const std::string& key, const std::vector<ShareMeasure>& carried) {
  MutexLock lock(mutex_);
  const auto [at, fresh] = grants_.try_emplace(key, carried.size());
  for (std::size_t i = 0; fresh && i < carried.size(); ++i) {
    at->second[i].measure = carried[i];
  }
}

void EnforcementBoard::Retain(const std::set<std::string>& keys) {
  MutexLock lock(mutex_);
  for (auto at = grants_.begin(); at != grants_.end();) {
    at = keys.count(at->first) != 0 ? std::next(at) : grants_.erase(at);
  }
}

EnforcementBoard::Card* EnforcementBoard::Find(const std::string& key, std::size_t card) {
  const auto at = grants_.find(key);
  return at == grants_.end() || card >= at->second.size() ? nullptr : &at->second[card];
}

std::vector<ShareMeasure> EnforcementBoard::Measures(const std::string& key) const {
  std::vector<ShareMeasure> measures;
  MutexLock lock(mutex_);
  const auto at = grants_.find(key);
  if (at != grants_.end()) {
    for (const Card& each : at->second) {
      measures.push_back(each.measure);
    }
  }
  return measures;
}

void EnforcementBoard::SetMeasure(const std::string& key, std::size_t card,
                                  const ShareMeasure& measure) {
  MutexLock lock(mutex_);
  if (Card* found = Find(key, card)) {
    found->measure = measure;
  }
}

void EnforcementBoard::SetVerdicts(const std::string& key, std::size_t card,
                                   std::vector<Verdict> verdicts) {
  MutexLock lock(mutex_);
  if (Card* found = Find(key, card)) {
    found->verdicts = std::move(verdicts);
  }
}

void EnforcementBoard::SetCoreNow(const std::string& key,
                                  const std::vector<std::uint32_t>& core_now) {
  MutexLock lock(mutex_);
  for (std::size_t i = 0; i < core_now.size(); ++i) {
    if (Card* found = Find(key, i)) {
      found->core_now = core_now[i];
    }
  }
}

std::map<std::string, std::vector<ShareEnforcement>> EnforcementBoard::Snapshot() const {
  std::map<std::string, std::vector<ShareEnforcement>> all;
  MutexLock lock(mutex_);
  for (const auto& [key, cards] : grants_) {
    std::vector<ShareEnforcement>& shares = all[key.substr(0, key.find('/'))];
    shares.clear();
    for (const Card& card : cards) {
      ShareEnforcement share;
      share.core_now = static_cast<int>(card.core_now);
      share.overhead_bytes = card.measure.overhead_bytes;
      share.busy_correction_ns = card.measure.busy_correction_ns;
      for (const Verdict each : card.verdicts) {
        share.verdicts.emplace_back(VerdictName(each));
      }
      shares.push_back(std::move(share));
    }
  }
  return all;
}

}  // namespace aliquot::agent
