// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/gpu/machine.h"
#include "agent/health/health_words.h"
#include "agent/health/xid_table.h"
#include "base/clock.h"

namespace aliquot::agent {

struct HealthOptions {
  // How long a card must be clean, by its checks and without an event, before it is used again.
  // No card changes from healthy to not and back in less.
  std::chrono::milliseconds quiet{60000};
  // The same XID of the same card is told again after this, with the number of times.
  std::chrono::milliseconds repeat{60000};
  // XIDs that never mark a card.
  std::vector<std::uint64_t> ignored = DefaultIgnoredXids();
};

struct CardHealth {
  std::string uuid;
  std::string word;  // "ok", or what is wrong (docs/reference/health.md)
  std::string sentence;
};

// A card's word has changed.
struct HealthChange {
  std::string uuid;
  std::string from;
  std::string to;
  std::string sentence;
  std::uint64_t xid = 0;  // what brought it, or 0
};

// An XID, also one that marks nothing, for the pods on the card: whose program failed wants to
// know, and so does its neighbour. An uncorrectable memory error without one counts as XID 48.
struct XidReport {
  std::string uuid;
  std::uint64_t xid = 0;
  bool marks = false;
  std::uint64_t times = 1;  // since it was last told
  std::string sentence;
};

struct HealthNews {
  std::vector<HealthChange> changes;
  std::vector<XidReport> xids;
};

// Makes one word a card of events and checks, with recovery:
//  - what a check says holds as long as checks say so, and `quiet` longer;
//  - an XID that is not ignored marks the card until it has been quiet for `quiet`, or where
//    NVIDIA's catalogue asks for a reset, until `quiet` after the driver was gone and came back, or
//    the card was lost and came back. Restarting the agent is no reset: health_record.h.
//  - while the driver is gone every known card is "no-driver".
// A card once seen is never forgotten: one that goes missing is "lost", not absent.
//
// Pure; time is the steady clock's, passed in, and one that runs backwards is taken as standing
// still. Not thread-safe. Work: proportional to cards and events; memory bounded by the cards.
class HealthBook {
 public:
  explicit HealthBook(HealthOptions options = {}) : options_(std::move(options)) {}

  // What a Look found: the cards there are, and that the driver is there.
  void Apply(const Machine& machine, SteadyTime now);
  // Events without a card concern all; those of a card that no Look has shown are left out.
  void Apply(const std::vector<GpuEvent>& events, SteadyTime now);
  void Apply(const std::vector<CardCheck>& checks, SteadyTime now);
  // A call to the back end said UNAVAILABLE, with this sentence.
  void DriverGone(std::string_view why, SteadyTime now);

  // "ok" for a card not known.
  std::string WordOf(std::string_view uuid) const;
  // Every card ever seen, by UUID.
  std::vector<CardHealth> Cards() const;
  // What has come since the last call.
  HealthNews TakeNews();

  // XIDs of cards that wait for a reset, by UUID and code; for the record that outlives the agent.
  std::vector<std::pair<std::string, std::uint64_t>> NeedingReset() const;
  // Marks a card as an earlier agent had it, without a report. Pre: before the first Apply.
  void Restore(const std::string& uuid, std::uint64_t xid, SteadyTime now);

 private:
  struct Condition {
    Fault fault = Fault::kXid;
    std::uint64_t xid = 0;     // what brought it, or 0
    bool standing = false;     // it holds now, by the last check or look
    bool needs_reset = false;  // and until then it does not pass
    SteadyTime last_bad;
  };
  struct Told {
    SteadyTime at;
    std::uint64_t since = 0;  // times since then
  };
  struct Card {
    std::string word = "ok";
    bool missing_in_look = false;
    bool missing_in_check = false;
    std::vector<Condition> conditions;   // in the order they came, one a fault and code
    std::map<std::uint64_t, Told> told;  // by XID, at most kMaxToldXids
  };
  using Entry = std::pair<const std::string, Card>;

  static constexpr std::size_t kMaxToldXids = 64;
  static constexpr std::size_t kMaxConditions = 128;

  SteadyTime Advance(SteadyTime now);
  void Mark(Card& card, Fault fault, std::uint64_t xid, bool needs_reset, bool standing);
  void SetStanding(Card& card, Fault fault, bool standing);
  void SetMissing(Card& card, bool Card::*which, bool missing);
  static void AllowReset(Card& card, SteadyTime now);
  void TakeXid(Entry& entry, std::uint64_t xid);
  void Report(Entry& entry, std::uint64_t xid, bool marks);
  void Recover(Card& card) const;
  void UpdateWord(Entry& entry);
  static const Condition* Worst(const Card& card);
  std::string SentenceOf(const Entry& entry) const;
  bool Ignored(std::uint64_t xid) const;

  const HealthOptions options_;
  SteadyTime now_;  // the latest time told
  std::map<std::string, Card, std::less<>> cards_;
  bool driver_gone_ = false;
  std::string why_gone_;
  HealthNews news_;
};

}  // namespace aliquot::agent
