// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/lender.h"

#include <algorithm>
#include <set>
#include <utility>

#include "agent/enforcement/lending.h"
#include "agent/grant/grant_builder.h"
#include "agent/usage/usage_file.h"

namespace aliquot::agent {
namespace {

bool Same(const quota::LiveCard& a, const quota::LiveCard& b) {
  return a.core_now == b.core_now && a.overhead_bytes == b.overhead_bytes &&
         a.busy_correction_ns == b.busy_correction_ns;
}

}  // namespace

std::chrono::milliseconds Lender::Round() {
  Follow();
  bool in_use = false;
  for (auto& [key, held] : held_) {
    OpenRecord(key, held);
    ReadUsage(held);
    in_use = in_use || held.in_use;
  }
  auto shares = Shares();
  for (auto& [key, held] : held_) {
    Write(key, held, shares[key]);
  }
  return in_use ? options_.busy : options_.idle;
}

// The grants that live now.
void Lender::Follow() {
  std::set<std::string> keys;
  const std::uint64_t began = parts_.counters.Now();
  const auto live = parts_.live.Snapshot();
  for (const auto& grant : HeldGrants(*live)) {
    const std::string key = HeldKey(*grant);
    keys.insert(key);
    Held& held = held_[key];
    held.grant = grant;
    held.worked.resize(grant->cards.size());
  }
  for (auto at = held_.begin(); at != held_.end();) {
    at = keys.count(at->first) != 0 ? std::next(at) : held_.erase(at);
  }
  parts_.board.Retain(keys);
  parts_.counters.Retain(*live, began);
}

// A start of the container puts a new record in the place of the old one.
void Lender::OpenRecord(const std::string& key, Held& held) {
  const std::string path =
      parts_.layout.Grant(held.grant->name) + "/limits/" + std::string(kLimitsFile);
  if (held.record != nullptr && held.record->IsAt(path)) {
    return;
  }
  auto opened = LiveRecord::Open(path);
  held.record = opened.ok() ? *std::move(opened) : nullptr;
  held.written.clear();
  NoteProblem(opened.status().message(), held);
  std::vector<ShareMeasure> carried(held.grant->cards.size());
  if (held.record != nullptr) {
    const auto before = held.record->Read();
    for (std::size_t i = 0; i < std::min(before.size(), carried.size()); ++i) {
      carried[i].overhead_bytes = before[i].overhead_bytes;
      carried[i].busy_correction_ns = before[i].busy_correction_ns;
    }
  }
  parts_.board.Begin(key, carried);
}

// A grant is booked a moment before its files are in place: only what lasts is told.
void Lender::NoteProblem(const std::string& problem, Held& held) {
  const bool lasts = !problem.empty() && problem == held.problem;
  if (lasts && !held.told) {
    parts_.log.Warn("agent", "a share can't be adjusted", {{"problem", problem}});
  }
  held.told = lasts;
  held.problem = problem;
}

void Lender::ReadUsage(Held& held) const {
  const std::string path = parts_.layout.UsageRegion(held.grant->name);
  held.in_use = UsageFileInUse(path);
  if (!held.in_use) {
    return;
  }
  const std::uint64_t began = parts_.counters.Now();
  const auto usage = ReadUsageFile(path, held.grant->cards.size());
  if (!usage.ok()) {
    return;  // the watchdog says so
  }
  parts_.counters.Add(*held.grant, *usage->region, began);
  const SteadyTime now = parts_.clock.SteadyNow();
  for (std::size_t i = 0; i < std::min(usage->cards.size(), held.worked.size()); ++i) {
    Worked& worked = held.worked[i];
    const quota::CardUsage& card = usage->cards[i];
    // A process that ends takes its numbers along, so less is a change, too.
    if (card.launches != worked.launches || card.throttled_ns != worked.throttled_ns) {
      worked.last = now;
      worked.ever = true;
    }
    worked.launches = card.launches;
    worked.throttled_ns = card.throttled_ns;
  }
}

std::map<std::string, std::vector<std::uint32_t>> Lender::Shares() const {
  struct Place {
    std::string key;
    std::size_t card = 0;
  };
  std::map<std::string, std::vector<LendingShare>> cards;
  std::map<std::string, std::vector<Place>> places;  // as `cards`; "" = of nobody that is held
  std::map<std::string, std::vector<std::uint32_t>> shares;
  const SteadyTime now = parts_.clock.SteadyNow();
  const auto live = parts_.live.Snapshot();
  for (const auto& grant : *live) {
    const std::string key = HeldKey(*grant);
    const auto held = held_.find(key);
    const auto measures = parts_.board.Measures(key);
    shares[key].assign(grant->cards.size(), 0);
    for (std::size_t i = 0; i < grant->cards.size(); ++i) {
      const GrantedCard& card = grant->cards[i];
      if (!IsHeld(card)) {
        continue;
      }
      LendingShare share;
      share.core = static_cast<std::uint32_t>(card.core);
      share.ceiling = static_cast<std::uint32_t>(std::max(card.core, grant->limit));
      const bool lends = held != held_.end() && i < measures.size() && measures[i].looked &&
                         now - *measures[i].looked < options_.driver_silent;
      // What nobody holds may use all of its share at any time.
      share.active = !lends;
      if (lends) {
        const Worked& worked = held->second.worked[i];
        share.active = held->second.in_use && worked.ever && now - worked.last < options_.active;
      } else {
        share.ceiling = share.core;
      }
      cards[card.uuid].push_back(share);
      places[card.uuid].push_back({key, i});
    }
  }
  for (const auto& [uuid, all] : cards) {
    const std::vector<std::uint32_t> lent = LendCores(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Place& place = places[uuid][i];
      shares[place.key][place.card] = all[i].active && lent[i] > all[i].core ? lent[i] : 0;
    }
  }
  return shares;
}

void Lender::Write(const std::string& key, Held& held, const std::vector<std::uint32_t>& core_now) {
  if (held.record == nullptr) {
    return;
  }
  const auto measures = parts_.board.Measures(key);
  std::vector<quota::LiveCard> cards(held.grant->cards.size());
  bool lends = false;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    cards[i] = {};
    if (i < core_now.size() && core_now[i] != 0) {
      cards[i].core_now = core_now[i];
      lends = true;
    }
    if (i < measures.size()) {
      cards[i].overhead_bytes = measures[i].overhead_bytes;
      cards[i].busy_correction_ns = measures[i].busy_correction_ns;
    }
  }
  const bool same = cards.size() == held.written.size() &&
                    std::equal(cards.begin(), cards.end(), held.written.begin(), Same);
  if (same && !lends) {
    return;
  }
  const std::uint64_t until =
      NowNs() + static_cast<std::uint64_t>(std::chrono::nanoseconds(options_.lease).count());
  for (quota::LiveCard& card : cards) {
    card.expires_ns = card.core_now != 0 ? until : 0;
  }
  held.record->Write(cards);
  held.written = std::move(cards);
  parts_.board.SetCoreNow(key, core_now);
}

// The steady clock is CLOCK_MONOTONIC, which is what the other side compares with.
std::uint64_t Lender::NowNs() const {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        parts_.clock.SteadyNow().time_since_epoch())
                                        .count());
}

}  // namespace aliquot::agent
