// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/share_counters.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace aliquot::agent {
namespace {

// A name is made of device IDs, which another container gets when this one is gone.
std::string KeyOf(const GrantRecord& grant) {
  return grant.name + "/" + grant.identity.uid + "/" + grant.identity.container;
}

// What `now` is beyond `last`, the most that this process was seen at; a new process begins at 0.
void Grow(std::uint64_t& sum, std::uint64_t& last, std::uint64_t now, bool wiped) {
  if (wiped && now < last) {
    last = 0;
  }
  if (now <= last) {
    return;
  }
  if (__builtin_add_overflow(sum, now - last, &sum)) {
    sum = ~std::uint64_t{0};
  }
  last = now;
}

void Grow(ShareCounts& sum, ShareCounts& last, const quota::UsageCell& cell) {
  const bool wiped = cell.launches < last.launches;
  Grow(sum.busy_ns, last.busy_ns, cell.busy_ns, wiped);
  Grow(sum.launches, last.launches, cell.launches, wiped);
  Grow(sum.throttled_ns, last.throttled_ns, cell.throttled_ns, wiped);
  Grow(sum.denied, last.denied, cell.denied, wiped);
}

}  // namespace

std::uint64_t ShareCounters::Now() const {
  MutexLock lock(mutex_);
  return now_;
}

std::vector<ShareCounts> ShareCounters::Add(const GrantRecord& record,
                                            const quota::UsageRegion& region, std::uint64_t began) {
  MutexLock lock(mutex_);
  Grant& grant = grants_[KeyOf(record)];
  grant.cards.resize(std::min(record.cards.size(), quota::kMaxCards));
  if (grant.added <= began) {
    for (std::size_t i = 0; i < quota::kUsageSlots; ++i) {
      const quota::UsageSlot& slot = region.slot[i];
      const bool same = slot.generation == grant.generation[i];
      grant.generation[i] = slot.generation;
      for (std::size_t card = 0; card < grant.cards.size(); ++card) {
        Card& counted = grant.cards[card];
        counted.last[i] = same ? counted.last[i] : ShareCounts();
        Grow(counted.sum, counted.last[i], slot.card[card]);
      }
    }
    grant.added = ++now_;
  }
  std::vector<ShareCounts> sums;
  for (const Card& card : grant.cards) {
    sums.push_back(card.sum);
  }
  return sums;
}

void ShareCounters::Retain(const LiveList& live, std::uint64_t began) {
  std::set<std::string> keys;
  for (const auto& grant : live) {
    keys.insert(KeyOf(*grant));
  }
  MutexLock lock(mutex_);
  for (auto at = grants_.begin(); at != grants_.end();) {
    const bool stays = at->second.added > began || keys.count(at->first) != 0;
    at = stays ? std::next(at) : grants_.erase(at);
  }
}

}  // namespace aliquot::agent
