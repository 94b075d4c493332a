// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "ledger/snapshot.h"

namespace aliquot::ledger {

// Where nodes are published and snapshots are read. A change of one node copies its block of 64
// nodes; reading copies one pointer a block, and only when something changed since the last read.
// Thread-safe.
class SnapshotBoard {
 public:
  SnapshotBoard();

  // A place for a new node; places of nodes that are gone are given out again.
  std::uint32_t TakePlace(const std::string& name);
  void GiveBackPlace(std::uint32_t place);

  // Replaces what is published at `place`. `facts` is nullptr while there is no such node.
  void Publish(std::uint32_t place, std::shared_ptr<const scoring::NodeFacts> facts,
               const std::vector<scoring::CardState>& cards, const model::HostAmount& host_free,
               bool closed, std::shared_ptr<const scoring::ClaimedCards> claims = nullptr);

  // Snapshots read from now on are ranked by it. No node changes by it, so the generation stays.
  void SetOutlook(std::shared_ptr<const scoring::Outlook> outlook);
  // nullptr until one is set.
  std::shared_ptr<const scoring::Outlook> outlook() const;

  std::shared_ptr<const Snapshot> Read() const;
  std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

 private:
  void Replace(std::uint32_t place, Block::NodeEntry entry,
               const std::vector<scoring::CardState>& cards) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::atomic<std::uint64_t> generation_{1};
  std::vector<std::shared_ptr<const Block>> blocks_ GUARDED_BY(mutex_);
  std::vector<std::string> names_ GUARDED_BY(mutex_);  // by place; "" where free
  std::shared_ptr<const scoring::Outlook> outlook_ GUARDED_BY(mutex_);
  std::vector<std::uint32_t> free_places_ GUARDED_BY(mutex_);
  mutable std::shared_ptr<const NodeIndex> index_ GUARDED_BY(mutex_);  // nullptr when stale
  mutable std::shared_ptr<const Snapshot> latest_ GUARDED_BY(mutex_);  // nullptr when stale
};

}  // namespace aliquot::ledger
