// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/grant/decision.h"
#include "base/mutex.h"

namespace aliquot::agent {

// What live grants hold of one card, ordinary init containers that have ended left out.
struct CardHoldings {
  int core = 0;          // percent
  std::int64_t mib = 0;  // MiB
  int grants = 0;
};

// The book of live grants, in memory: who holds what of which card on this node. Filled from disk
// at start (Recall), by each start (Decide), emptied when a pod is gone (EndPod).
//
// Thread-safe. A decision is made and booked in one step under the lock, so that of two containers
// that start at once the second sees the first. Nothing blocks under the lock but `facts.verify`,
// which computes.
class LiveGrants {
 public:
  // DecideGrant against this book (`facts.live` is not read), booked when granted: grants that end
  // by it leave the book. Call Cancel when the grant could not be written.
  Granted<GrantPlan> Decide(const std::vector<std::string>& device_ids,
                            const ContainerIdentity& identity, GrantFacts facts);
  // Takes this very booking back: one that the same container has had since (the kubelet gave up
  // waiting and asked again) stays.
  void Cancel(const GrantPlan& plan);

  // Grants found on disk; a name that is booked already stays as it is.
  void Recall(const std::vector<GrantRecord>& records);
  // The pod is gone: its grants leave the book. Returns their names; none the second time.
  std::vector<std::string> EndPod(const std::string& uid);

  std::shared_ptr<const LiveList> Snapshot() const;
  std::map<std::string, CardHoldings> HoldingsByCard() const;
  // Device IDs that live grants were made for.
  std::set<std::string> DeviceIds() const;
  std::set<std::string> PodUids() const;

 private:
  mutable Mutex mutex_;
  // Replaced as a whole, so that a snapshot is a pointer.
  std::shared_ptr<const LiveList> live_ GUARDED_BY(mutex_) = std::make_shared<const LiveList>();
};

}  // namespace aliquot::agent
