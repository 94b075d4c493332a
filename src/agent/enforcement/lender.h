// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/enforcement/board.h"
#include "agent/enforcement/live_record.h"
#include "agent/grant/live_grants.h"
#include "agent/grant/state_layout.h"
#include "agent/usage/share_counters.h"
#include "base/clock.h"
#include "observability/log.h"
#include "quota/usage_region.h"

namespace aliquot::agent {

struct LenderOptions {
  std::chrono::milliseconds busy{200};   // between rounds while a held container uses its card
  std::chrono::milliseconds idle{1000};  // else
  // What is lent holds so long unless it is renewed: an agent that dies gives nothing away for
  // ever. Less than FORMAT.md's second, so that with what was launched last the guaranteed share
  // holds again within one.
  std::chrono::milliseconds lease{800};
  // A share counts as active so long after its last launch or wait, so that one long kernel does
  // not look like a share that does nothing.
  std::chrono::milliseconds active{500};
  // Nothing is lent on a card of which the driver has said nothing for so long.
  std::chrono::milliseconds driver_silent{3000};
};

// Writes the live part of every held grant's limits record: who may use how much of a card just
// now (lending.h), and what the watchdog has measured. Knows who works from the usage files, so it
// needs no driver: one that hangs keeps nobody waiting here.
//
// Used by one thread. It alone writes records in place; a grant that is replaced or removed has its
// record let go of at the next round.
class Lender {
 public:
  struct Parts {
    const LiveGrants& live;
    EnforcementBoard& board;
    const StateLayout& layout;
    ShareCounters& counters;  // more exact by what it reads; it forgets the grants that are gone
    const Clock& clock;
    observability::Log& log;
  };

  // All parts must outlive it.
  Lender(LenderOptions options, const Parts& parts) : options_(options), parts_(parts) {}

  // One round. Returns after how long the next one is due.
  std::chrono::milliseconds Round();

 private:
  struct Worked {  // of one card, by its container
    std::uint64_t launches = 0;
    std::uint64_t throttled_ns = 0;
    SteadyTime last;  // that either moved
    bool ever = false;
  };
  struct Held {
    std::shared_ptr<const GrantRecord> grant;
    std::unique_ptr<LiveRecord> record;
    std::string problem;  // of opening it in the last round
    bool told = false;
    std::vector<Worked> worked;
    std::vector<quota::LiveCard> written;
    bool in_use = false;
  };

  void Follow();
  void OpenRecord(const std::string& key, Held& held);
  void NoteProblem(const std::string& problem, Held& held);
  void ReadUsage(Held& held) const;
  // Percent of each card of each grant, in the order of `held_`.
  std::map<std::string, std::vector<std::uint32_t>> Shares() const;
  void Write(const std::string& key, Held& held, const std::vector<std::uint32_t>& core_now);
  std::uint64_t NowNs() const;

  const LenderOptions options_;
  const Parts parts_;
  std::map<std::string, Held> held_;  // by HeldKey
};

}  // namespace aliquot::agent
