// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/verdict.h"

#include <algorithm>
#include <cstddef>

namespace aliquot::agent {
namespace {

// Saturates: the charges are a stranger's numbers.
std::uint64_t Plus(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? ~std::uint64_t{0} : sum;
}

std::vector<pid_t> Pids(const std::vector<ProcessFacts>& processes, LoadedLibrary library) {
  std::vector<pid_t> pids;
  for (const ProcessFacts& each : processes) {
    if (each.library == library) {
      pids.push_back(each.pid);
    }
  }
  return pids;
}

// What the driver counts is one sum over the container, so it is all its processes' doing.
std::vector<pid_t> AllPids(const std::vector<ProcessFacts>& processes) {
  std::vector<pid_t> pids;
  for (const ProcessFacts& each : processes) {
    pids.push_back(each.pid);
  }
  return pids;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNoLibrary:
      return "no_library";
    case Verdict::kWrongLibrary:
      return "wrong_library";
    case Verdict::kOverMemory:
      return "over_memory";
    case Verdict::kUsageDamaged:
      return "usage_damaged";
    case Verdict::kUsageLow:
      return "usage_low";
  }
  return "unknown";
}

bool EndsProcesses(Verdict verdict) { return verdict != Verdict::kUsageLow; }

bool IsOfProcess(Verdict verdict) {
  return verdict == Verdict::kNoLibrary || verdict == Verdict::kWrongLibrary;
}

std::vector<ShareVerdict> JudgeLook(const ShareFacts& facts) {
  std::vector<ShareVerdict> verdicts;
  const auto add = [&](Verdict verdict, std::vector<pid_t> pids) {
    if (!pids.empty()) {
      verdicts.push_back({verdict, std::move(pids)});
    }
  };
  add(Verdict::kNoLibrary, Pids(facts.processes, LoadedLibrary::kNone));
  add(Verdict::kWrongLibrary, Pids(facts.processes, LoadedLibrary::kOther));
  std::uint64_t driver = 0;
  std::uint64_t allowed = 0;
  for (const ProcessFacts& each : facts.processes) {
    const std::uint64_t bytes = each.driver_bytes.value_or(0);
    driver = Plus(driver, bytes);
    allowed = Plus(allowed, std::min(bytes, facts.context_bytes));  // it has no larger context
  }
  if (driver > Plus(facts.limit_bytes, allowed)) {
    add(Verdict::kOverMemory, AllPids(facts.processes));
  } else if (facts.usage_readable &&
             driver > Plus(std::max(facts.held_before, facts.held_after), allowed)) {
    add(Verdict::kUsageLow, AllPids(facts.processes));
  }
  if (!facts.usage_readable) {
    add(Verdict::kUsageDamaged, AllPids(facts.processes));
  }
  return verdicts;
}

std::vector<ShareVerdict> ShareJudge::Look(const ShareFacts& facts) {
  std::array<std::set<pid_t>, kAllVerdicts.size()> now;
  std::vector<ShareVerdict> standing;
  for (ShareVerdict& each : JudgeLook(facts)) {
    const std::set<pid_t>& before = seen_.at(static_cast<std::size_t>(each.verdict));
    now.at(static_cast<std::size_t>(each.verdict))
        .insert(each.processes.begin(), each.processes.end());
    if (IsOfProcess(each.verdict)) {
      auto& pids = each.processes;
      pids.erase(std::remove_if(pids.begin(), pids.end(),
                                [&](pid_t pid) { return before.count(pid) == 0; }),
                 pids.end());
    }
    if (!before.empty() && !each.processes.empty()) {
      standing.push_back(std::move(each));
    }
  }
  seen_ = std::move(now);
  return standing;
}

}  // namespace aliquot::agent
