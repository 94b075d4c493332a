// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace aliquot::reconcile {

// Whether the ledger has heard the whole cluster once: until then nothing may be placed, since
// cards that look free may be held by pods not seen yet. Stays true once true: a watch that breaks
// later goes on from what is known. Thread-safe.
class SyncState {
 public:
  void NodesListed() { nodes_.store(true, std::memory_order_release); }
  void PodsListed() { pods_.store(true, std::memory_order_release); }

  bool nodes_listed() const { return nodes_.load(std::memory_order_acquire); }
  bool pods_listed() const { return pods_.load(std::memory_order_acquire); }
  bool ready() const { return nodes_listed() && pods_listed(); }

 private:
  std::atomic<bool> nodes_{false};
  std::atomic<bool> pods_{false};
};

}  // namespace aliquot::reconcile
