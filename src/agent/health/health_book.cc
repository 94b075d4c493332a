// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_book.h"

#include <algorithm>
#include <iterator>

namespace aliquot::agent {
namespace {

constexpr std::uint64_t kXidDoubleBitEcc = 48;

}  // namespace

SteadyTime HealthBook::Advance(SteadyTime now) {
  now_ = std::max(now_, now);
  return now_;
}

void HealthBook::Apply(const Machine& machine, SteadyTime now) {
  Advance(now);
  for (const MachineCard& each : machine.cards) {
    cards_.try_emplace(each.card.uuid);
  }
  for (Entry& entry : cards_) {
    Card& card = entry.second;
    if (driver_gone_) {
      SetStanding(card, Fault::kNoDriver, false);
      AllowReset(card, now_);
    }
    SetMissing(card, &Card::missing_in_look, machine.FindUuid(entry.first) == nullptr);
    UpdateWord(entry);
  }
  driver_gone_ = false;
  why_gone_.clear();
}

void HealthBook::Apply(const std::vector<GpuEvent>& events, SteadyTime now) {
  Advance(now);
  for (const GpuEvent& event : events) {
    const std::uint64_t xid =
        event.kind == GpuEvent::Kind::kEccDouble ? kXidDoubleBitEcc : event.code;
    for (Entry& entry : cards_) {
      if (event.uuid.empty() || event.uuid == entry.first) {
        TakeXid(entry, xid);
      }
    }
  }
}

void HealthBook::Apply(const std::vector<CardCheck>& checks, SteadyTime now) {
  Advance(now);
  for (const CardCheck& check : checks) {
    const auto at = cards_.find(check.uuid);
    if (at == cards_.end()) {
      continue;
    }
    Card& card = at->second;
    SetMissing(card, &Card::missing_in_check, !check.present);
    SetStanding(card, Fault::kRemapFailed, check.remap_failed);
    SetStanding(card, Fault::kEcc, check.uncorrectable_pending);
    if (check.present && !check.remap_failed && !check.uncorrectable_pending) {
      Recover(card);
    }
    UpdateWord(*at);
  }
}

void HealthBook::DriverGone(std::string_view why, SteadyTime now) {
  Advance(now);
  driver_gone_ = true;
  why_gone_ = why;
  for (Entry& entry : cards_) {
    SetStanding(entry.second, Fault::kNoDriver, true);
    UpdateWord(entry);
  }
}

void HealthBook::Mark(Card& card, Fault fault, std::uint64_t xid, bool needs_reset, bool standing) {
  const auto same = [&](const Condition& each) {
    return each.fault == fault && (fault != Fault::kXid || each.xid == xid);
  };
  auto at = std::find_if(card.conditions.begin(), card.conditions.end(), same);
  if (at == card.conditions.end() && card.conditions.size() == kMaxConditions) {
    at = std::prev(at);  // more codes than drivers have: the last stands for them
  } else if (at == card.conditions.end()) {
    at = card.conditions.insert(card.conditions.end(), Condition{fault, xid, false, false, now_});
  }
  at->xid = at->xid == 0 ? xid : at->xid;
  at->needs_reset = at->needs_reset || needs_reset;
  at->standing = at->standing || standing;
  at->last_bad = now_;
}

void HealthBook::SetStanding(Card& card, Fault fault, bool standing) {
  if (standing) {
    Mark(card, fault, 0, false, true);
    return;
  }
  for (Condition& each : card.conditions) {
    if (each.fault == fault && each.standing) {
      each.standing = false;
      each.last_bad = now_;
    }
  }
}

void HealthBook::SetMissing(Card& card, bool Card::*which, bool missing) {
  const bool before = card.missing_in_look || card.missing_in_check;
  card.*which = missing;
  const bool after = card.missing_in_look || card.missing_in_check;
  if (before && !after) {
    AllowReset(card, now_);
  }
  SetStanding(card, Fault::kLost, after);
}

// The card has come back: what needed a reset has had one, and now has to show that it is quiet.
void HealthBook::AllowReset(Card& card, SteadyTime now) {
  for (Condition& each : card.conditions) {
    if (each.needs_reset) {
      each.needs_reset = false;
      each.last_bad = now;
    }
  }
}

void HealthBook::TakeXid(Entry& entry, std::uint64_t xid) {
  const XidEffect effect = RuleOf(xid).effect;
  const bool marks = effect != XidEffect::kReport && !Ignored(xid);
  if (marks) {
    const Fault fault = xid == kXidDoubleBitEcc ? Fault::kEcc : Fault::kXid;
    Mark(entry.second, fault, xid, effect == XidEffect::kReset, false);
    UpdateWord(entry);
  }
  Report(entry, xid, marks);
}

// A program may throw the same XID hundreds of times a second.
void HealthBook::Report(Entry& entry, std::uint64_t xid, bool marks) {
  std::map<std::uint64_t, Told>& told = entry.second.told;
  const auto [at, first] = told.try_emplace(xid, Told{now_, 0});
  ++at->second.since;
  if (!first && now_ - at->second.at < options_.repeat) {
    return;
  }
  const std::uint64_t times = at->second.since;
  at->second = Told{now_, 0};
  news_.xids.push_back(
      {entry.first, xid, marks, times, XidSentence(xid, entry.first, marks, times)});
  if (told.size() > kMaxToldXids) {
    const auto oldest =
        std::min_element(told.begin(), told.end(),
                         [](const auto& a, const auto& b) { return a.second.at < b.second.at; });
    told.erase(oldest);
  }
}

void HealthBook::Recover(Card& card) const {
  const auto over = [this](const Condition& each) {
    return !each.standing && !each.needs_reset && now_ - each.last_bad >= options_.quiet;
  };
  card.conditions.erase(std::remove_if(card.conditions.begin(), card.conditions.end(), over),
                        card.conditions.end());
}

const HealthBook::Condition* HealthBook::Worst(const Card& card) {
  // The first of equals stays, so that a later XID does not change the word.
  const auto worst = std::min_element(
      card.conditions.begin(), card.conditions.end(), [](const Condition& a, const Condition& b) {
        return std::pair(a.fault, !a.needs_reset) < std::pair(b.fault, !b.needs_reset);
      });
  return worst == card.conditions.end() ? nullptr : &*worst;
}

void HealthBook::UpdateWord(Entry& entry) {
  Card& card = entry.second;
  const Condition* worst = Worst(card);
  std::string word = worst == nullptr ? "ok" : HealthWord(worst->fault, worst->xid);
  if (word == card.word) {
    return;
  }
  HealthChange change;
  change.uuid = entry.first;
  change.from = std::exchange(card.word, word);
  change.to = std::move(word);
  change.xid = worst == nullptr ? 0 : worst->xid;
  change.sentence =
      worst == nullptr ? RecoverySentence(entry.first, change.from) : SentenceOf(entry);
  news_.changes.push_back(std::move(change));
}

std::string HealthBook::SentenceOf(const Entry& entry) const {
  const Condition* worst = Worst(entry.second);
  return worst == nullptr
             ? "card " + entry.first + " is healthy"
             : HealthSentence(worst->fault, worst->xid, worst->needs_reset, entry.first, why_gone_);
}

bool HealthBook::Ignored(std::uint64_t xid) const {
  return std::find(options_.ignored.begin(), options_.ignored.end(), xid) != options_.ignored.end();
}

std::string HealthBook::WordOf(std::string_view uuid) const {
  const auto at = cards_.find(uuid);
  return at == cards_.end() ? "ok" : at->second.word;
}

std::vector<CardHealth> HealthBook::Cards() const {
  std::vector<CardHealth> cards;
  for (const Entry& entry : cards_) {
    cards.push_back({entry.first, entry.second.word, SentenceOf(entry)});
  }
  return cards;
}

HealthNews HealthBook::TakeNews() { return std::exchange(news_, {}); }

std::vector<std::pair<std::string, std::uint64_t>> HealthBook::NeedingReset() const {
  std::vector<std::pair<std::string, std::uint64_t>> needing;
  for (const auto& [uuid, card] : cards_) {
    for (const Condition& each : card.conditions) {
      if (each.needs_reset) {
        needing.emplace_back(uuid, each.xid);
      }
    }
  }
  return needing;
}

void HealthBook::Restore(const std::string& uuid, std::uint64_t xid, SteadyTime now) {
  Advance(now);
  Card& card = cards_[uuid];
  const Fault fault = xid == kXidDoubleBitEcc ? Fault::kEcc : Fault::kXid;
  Mark(card, fault, xid, true, false);
  card.word = HealthWord(fault, xid);
}

}  // namespace aliquot::agent
