// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "agent/grant/decision.h"
#include "agent/usage/node_figures.h"
#include "base/mutex.h"
#include "base/thread_annotations.h"
#include "quota/usage_region.h"

namespace aliquot::agent {

// Makes counters of usage files. A file has the figures of each process, and they go when another
// takes the slot; here what grew is added up, by grant and card, so that the sums never fall while
// the grant lives, whatever a container writes. Another start of the same container goes on.
//
// A slot is followed whether its process lives or not: the last figures of one that has ended stay
// until the slot is taken again. Another generation is another process, and so are launches that
// become fewer. Another figure that falls adds nothing until it is where it was: the library takes
// GPU time back that it charged too much. What a process added after the last reading is lost when
// its slot is taken before the next one. Sums stop at the largest number. Memory is bounded: all
// slots of the cards of a grant.
//
// Thread-safe. Readings overlap, and one that is older than what was added would look like figures
// that fall: a reading counts only if it began after the one before it was added.
class ShareCounters {
 public:
  // The present, for Add and Retain: taken before the file is read or the grants are listed.
  std::uint64_t Now() const;
  // Adds what grew since the reading before. Returns the sums by card, in the order of the grant's;
  // of a reading that comes too late those that are there.
  std::vector<ShareCounts> Add(const GrantRecord& grant, const quota::UsageRegion& region,
                               std::uint64_t began);
  // Forgets all other grants, except those added since `began`.
  void Retain(const LiveList& live, std::uint64_t began);

 private:
  struct Card {
    // The most that the slot's process was seen at.
    std::array<ShareCounts, quota::kUsageSlots> last{};
    ShareCounts sum;
  };
  struct Grant {
    std::uint64_t added = 0;
    std::array<std::uint64_t, quota::kUsageSlots> generation{};
    std::vector<Card> cards;
  };

  mutable Mutex mutex_;
  std::uint64_t now_ GUARDED_BY(mutex_) = 0;  // counts what was added
  std::map<std::string, Grant> grants_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
