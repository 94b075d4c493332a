// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/enforcement/verdict.h"
#include "agent/grant/decision.h"
#include "agent/usage/node_figures.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::agent {

// A share of a card that the enforcement library is to hold: not a whole card.
bool IsHeld(const GrantedCard& card);
// The live grants with such a share, in the order of the list.
std::vector<std::shared_ptr<const GrantRecord>> HeldGrants(const LiveList& live);
// One container's grant, also over its restarts; another container that is given the same device
// IDs has another key.
std::string HeldKey(const GrantRecord& grant);

// What the watchdog has measured of one card of one grant.
struct ShareMeasure {
  std::uint64_t overhead_bytes = 0;
  std::int64_t busy_correction_ns = 0;
  std::optional<SteadyTime> looked;  // the driver's last answer
};

// What lender and watchdog know of each share, for each other and for the metrics. Thread-safe;
// nothing but copying is done under the lock.
class EnforcementBoard {
 public:
  // A grant that begins to be held, with what was measured of it by an agent before this one. A
  // grant that is there already keeps what is known.
  void Begin(const std::string& key, const std::vector<ShareMeasure>& carried);
  // Forgets all others.
  void Retain(const std::set<std::string>& keys);

  std::vector<ShareMeasure> Measures(const std::string& key) const;  // empty: not begun
  void SetMeasure(const std::string& key, std::size_t card, const ShareMeasure& measure);
  void SetVerdicts(const std::string& key, std::size_t card, std::vector<Verdict> verdicts);
  void SetCoreNow(const std::string& key, const std::vector<std::uint32_t>& core_now);

  // For the metrics, by the grant's name; one entry a card.
  std::map<std::string, std::vector<ShareEnforcement>> Snapshot() const;

 private:
  struct Card {
    ShareMeasure measure;
    std::vector<Verdict> verdicts;
    std::uint32_t core_now = 0;
  };
  Card* Find(const std::string& key, std::size_t card) REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::map<std::string, std::vector<Card>> grants_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
