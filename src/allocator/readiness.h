// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "reconcile/sync_state.h"

namespace aliquot::allocator {

// Whether the allocator should be asked: it has heard the whole cluster once and is not on its way
// out. Thread-safe. The sync state must outlive it.
class Readiness {
 public:
  explicit Readiness(const reconcile::SyncState& sync) : sync_(sync) {}

  void StartDraining() { draining_.store(true, std::memory_order_release); }
  bool draining() const { return draining_.load(std::memory_order_acquire); }
  // The ledger may answer. Stays true while draining, so that requests in flight are answered.
  bool synced() const { return sync_.ready(); }

  // Every reason why it is not ready, one sentence each; empty when it is.
  std::vector<std::string> Reasons() const;

 private:
  const reconcile::SyncState& sync_;
  std::atomic<bool> draining_{false};
};

}  // namespace aliquot::allocator
