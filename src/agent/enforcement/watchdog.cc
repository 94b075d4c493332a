// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/watchdog.h"

#include <algorithm>
#include <filesystem>

#include "agent/enforcement/mapped_identity.h"
#include "agent/enforcement/sentences.h"
#include "agent/usage/usage_file.h"
#include "base/strings.h"

namespace aliquot::agent {

Watchdog::Watchdog(WatchdogOptions options, Parts parts)
    : options_(options), parts_(std::move(parts)), processes_(parts_.reader, options_.processes) {}

std::chrono::milliseconds Watchdog::Look() {
  std::map<std::string, std::vector<Place>> cards;
  std::set<std::string> keys;
  const auto live = parts_.live.Snapshot();
  for (const Grant& grant : HeldGrants(*live)) {
    const std::string key = HeldKey(*grant);
    keys.insert(key);
    parts_.board.Begin(key, std::vector<ShareMeasure>(grant->cards.size()));
    for (std::size_t i = 0; i < grant->cards.size(); ++i) {
      if (IsHeld(grant->cards[i])) {
        cards[grant->cards[i].uuid].push_back({grant, i});
      }
    }
  }
  Forget(keys);
  if (keys.empty()) {
    in_maps_.clear();
  }
  busy_ = saw_ = missed_ = containers_fresh_ = false;
  LookAtAll(cards);
  blind_looks_ = processes_.TakeRefused() || (missed_ && !saw_) ? blind_looks_ + 1 : 0;
  processes_.ForgetOld(parts_.clock.SteadyNow());
  return busy_ ? options_.busy : options_.idle;
}

// The driver answers one question at a time, so while one hangs no other card can be asked. A card
// that hung comes last in the next look, so that the others are not kept from it for ever.
void Watchdog::LookAtAll(const std::map<std::string, std::vector<Place>>& cards) {
  const std::string last = std::exchange(hung_, "");
  for (const auto& [uuid, places] : cards) {
    if (uuid != last && !LookAt(uuid, places)) {
      hung_ = uuid;
      return;
    }
  }
  const auto at = cards.find(last);
  if (at != cards.end() && !LookAt(last, at->second)) {
    hung_ = last;
  }
}

void Watchdog::Forget(const std::set<std::string>& keys) {
  for (auto at = shares_.begin(); at != shares_.end();) {
    at = keys.count(at->first.first) != 0 ? std::next(at) : shares_.erase(at);
  }
}

bool Watchdog::LookAt(const std::string& uuid, const std::vector<Place>& places) {
  std::vector<Held> before;
  for (const Place& place : places) {
    before.push_back(HeldOf(place));
  }
  WorkTime& time = work_time_[uuid];
  const auto work = parts_.backend.Work(uuid, time.Since(parts_.clock.SteadyNow()));
  NoteDriver(uuid, work.status());
  if (!work.ok()) {
    return work.status().code() != StatusCode::kDeadlineExceeded;
  }
  const Worked worked = time.Look(*work, parts_.clock.SteadyNow());
  const auto members = Attribute(*work, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool idle = !before[i].used && members[i].empty();
    const Held after = idle ? Held() : HeldOf(places[i]);
    Measure(places[i], before[i], after, worked, members[i]);
    Judge(uuid, places[i], before[i], after, members[i]);
  }
  return true;
}

Watchdog::Held Watchdog::HeldOf(const Place& place) const {
  const std::string path = parts_.layout.UsageRegion(place.grant->name);
  Held held;
  held.used = UsageFileInUse(path);
  if (!held.used) {
    return held;
  }
  auto usage = ReadUsageSnapshot(path);
  held.readable = usage.ok();
  if (usage.ok()) {
    held.bytes = quota::SumUsage(*usage->region, place.card, usage->alive).held_bytes;
    held.usage = std::move(usage->region);
  }
  return held;
}

std::vector<std::vector<Watchdog::Member>> Watchdog::Attribute(const CardWork& work,
                                                               const std::vector<Place>& places) {
  std::vector<std::vector<Member>> members(places.size());
  const SteadyTime now = parts_.clock.SteadyNow();
  for (const CardWork::Memory& each : work.processes) {
    const auto known = processes_.Find(each.pid, now);
    const bool seen = known || parts_.reader.StartTicks(each.pid);
    saw_ = saw_ || seen;
    missed_ = missed_ || !seen;
    if (!known) {
      continue;
    }
    const Place* place = PlaceOf(known->owner, places);
    if (place == nullptr) {
      continue;
    }
    busy_ = true;
    Member member;
    member.facts.pid = each.pid;
    member.facts.driver_bytes = each.bytes;
    member.process = {each.pid, known->start_ticks, known->owner};
    member.sure = IsSure(known->owner, *place);
    if (const auto given = LibraryOf(*place->grant)) {
      member.facts.library = processes_.LibraryOf(each.pid, *given, now);
    }
    members[static_cast<std::size_t>(place - places.data())].push_back(std::move(member));
  }
  return members;
}

// By the container's ID where the pod's status tells it; by the pod alone where it has one
// container on the card.
const Watchdog::Place* Watchdog::PlaceOf(const ProcessOwner& owner,
                                         const std::vector<Place>& places) {
  if (!containers_fresh_) {
    containers_ = parts_.containers();
    containers_fresh_ = true;
  }
  const auto known = containers_.find(owner.container_id);
  const Place* only = nullptr;
  int found = 0;
  for (const Place& place : places) {
    if (place.grant->identity.uid != owner.pod_uid) {
      continue;
    }
    if (known != containers_.end() && known->second.second == place.grant->identity.container) {
      return &place;
    }
    only = &place;
    ++found;
  }
  return found == 1 && known == containers_.end() ? only : nullptr;
}

bool Watchdog::IsSure(const ProcessOwner& owner, const Place& place) const {
  const ContainerIdentity& who = place.grant->identity;
  return containers_.count(owner.container_id) != 0 ||
         std::none_of(containers_.begin(), containers_.end(), [&who](const auto& each) {
           return each.second.first == who.uid && each.second.second == who.container;
         });
}

// The one file in the grant's directory of the library: ours, so its name and number are the truth.
std::optional<GivenLibrary> Watchdog::LibraryOf(const GrantRecord& grant) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(parts_.layout.Grant(grant.name) + "/library", error)) {
    const auto file = IdentityOf(entry.path().string());
    if (!file) {
      continue;
    }
    auto known = in_maps_.find(*file);
    if (known == in_maps_.end()) {
      const auto shown = IdentityInMaps(entry.path().string());
      if (!shown) {
        return std::nullopt;
      }
      known = in_maps_.emplace(*file, *shown).first;
    }
    return GivenLibrary{known->second, entry.path().filename().string()};
  }
  return std::nullopt;
}

Watchdog::Share& Watchdog::ShareOf(const Place& place) {
  const std::string key = HeldKey(*place.grant);
  const auto at = shares_.find({key, place.card});
  if (at != shares_.end()) {
    return at->second;
  }
  const auto measures = parts_.board.Measures(key);
  Share share;
  if (place.card < measures.size()) {
    share.overhead = OverheadWindow(measures[place.card].overhead_bytes);
    share.correction = TimeCorrection(measures[place.card].busy_correction_ns);
  }
  return shares_.emplace(std::pair(key, place.card), std::move(share)).first->second;
}

void Watchdog::Measure(const Place& place, const Held& before, const Held& after,
                       const Worked& worked, const std::vector<Member>& members) {
  Share& share = ShareOf(place);
  std::uint64_t bytes = 0;
  TimeCorrection::DriverTime time;
  std::set<pid_t> on_card;
  for (const Member& member : members) {
    bytes += member.facts.driver_bytes.value_or(0);
    on_card.insert(member.facts.pid);
    if (worked && worked->count(member.facts.pid) != 0) {
      time.ns += worked->at(member.facts.pid).ns;
      time.rounding_ns += worked->at(member.facts.pid).rounding_ns;
    }
  }
  share.overhead.Add(bytes, before.bytes, after.bytes);
  const bool ended =
      !std::includes(on_card.begin(), on_card.end(), share.on_card.begin(), share.on_card.end());
  if (after.usage != nullptr) {
    share.correction.Look(*after.usage, place.card, worked ? std::optional(time) : std::nullopt,
                          ended);
  }
  share.on_card = std::move(on_card);
  ShareMeasure measure;
  measure.overhead_bytes = share.overhead.bytes();
  measure.busy_correction_ns = share.correction.ns();
  measure.looked = parts_.clock.SteadyNow();
  parts_.board.SetMeasure(HeldKey(*place.grant), place.card, measure);
}

void Watchdog::Judge(const std::string& uuid, const Place& place, const Held& before,
                     const Held& after, const std::vector<Member>& members) {
  Share& share = ShareOf(place);
  ShareFacts facts;
  facts.limit_bytes = static_cast<std::uint64_t>(place.grant->cards[place.card].mib) << 20;
  facts.context_bytes = static_cast<std::uint64_t>(options_.context_mib) << 20;
  facts.usage_readable = before.readable && after.readable;
  facts.held_before = before.bytes;
  facts.held_after = after.bytes;
  for (const Member& member : members) {
    facts.processes.push_back(member.facts);
  }
  std::vector<Verdict> verdicts;
  for (const ShareVerdict& each : share.judge.Look(facts)) {
    verdicts.push_back(each.verdict);
    Act(uuid, place, each, members);
  }
  NoteVerdicts(uuid, place, verdicts);
  parts_.board.SetVerdicts(HeldKey(*place.grant), place.card, std::move(verdicts));
}

void Watchdog::Act(const std::string& uuid, const Place& place, const ShareVerdict& verdict,
                   const std::vector<Member>& members) {
  const bool kill = options_.kill && EndsProcesses(verdict.verdict);
  ShareReport report;
  report.grant = place.grant;
  report.uuid = uuid;
  report.verdict = verdict.verdict;
  report.sentence = VerdictSentence(*place.grant, uuid, verdict.verdict, kill);
  report.ended = kill ? End(uuid, place, verdict, members) : 0;
  parts_.report(report);
}

std::size_t Watchdog::End(const std::string& uuid, const Place& place, const ShareVerdict& verdict,
                          const std::vector<Member>& members) {
  constexpr std::size_t kMostRemembered = 4096;
  std::size_t ended = 0;
  if (ended_.size() > kMostRemembered) {
    ended_.clear();
  }
  // A sum that others may have a part in is no one's fault.
  const bool all_sure =
      std::all_of(members.begin(), members.end(), [](const Member& member) { return member.sure; });
  for (const Member& member : members) {
    if (!member.sure || (!all_sure && !IsOfProcess(verdict.verdict))) {
      continue;
    }
    const auto& pids = verdict.processes;
    const ProcessToEnd& process = member.process;
    const auto before = ended_.find(process.pid);
    if (std::find(pids.begin(), pids.end(), process.pid) == pids.end() ||
        (before != ended_.end() && before->second == process.start_ticks)) {
      continue;
    }
    const Status outcome = EndProcess(process, parts_.reader);
    std::string& problem = ShareOf(place).end_problem;
    if (outcome.ok()) {
      ended_[process.pid] = process.start_ticks;
      ++ended;
    } else if (outcome.message() == problem) {
      continue;
    }
    problem = outcome.message();
    parts_.log.Warn("agent", "ending a process that its share does not hold",
                    {{"pod", place.grant->identity.key.ToString()},
                     {"container", place.grant->identity.container},
                     {"uuid", uuid},
                     {"pid", static_cast<std::int64_t>(process.pid)},
                     {"verdict", VerdictName(verdict.verdict)},
                     {"outcome", outcome.ToString()}});
  }
  return ended;
}

void Watchdog::NoteVerdicts(const std::string& uuid, const Place& place,
                            const std::vector<Verdict>& verdicts) {
  Share& share = ShareOf(place);
  if (verdicts == share.verdicts) {
    return;
  }
  share.verdicts = verdicts;
  std::vector<std::string> names;
  for (const Verdict each : verdicts) {
    names.emplace_back(VerdictName(each));
  }
  parts_.log.Write(names.empty() ? observability::Level::kInfo : observability::Level::kWarn,
                   "agent", names.empty() ? "a share is held again" : "a share is not held",
                   {{"pod", place.grant->identity.key.ToString()},
                    {"container", place.grant->identity.container},
                    {"uuid", uuid},
                    {"verdicts", Join(names, ",")}});
}

// Told when it changes: several looks a second would fill the log.
void Watchdog::NoteDriver(const std::string& uuid, const Status& status) {
  std::string& last = driver_problem_[uuid];
  if (last == status.message()) {
    return;
  }
  last = status.message();
  if (!status.ok()) {
    parts_.log.Warn("agent", "the processes of a card can't be seen",
                    {{"uuid", uuid}, {"problem", status.message()}});
  }
}

}  // namespace aliquot::agent
