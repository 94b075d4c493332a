// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <memory>

#include "agent/enforcement/board.h"
#include "agent/enforcement/verdict.h"
#include "agent/grant/limits_of_grant.h"
#include "agent/verify/row_writer.h"
#include "base/strings.h"

// The checks of the grant itself: its record, its files on this node, the driver's figures.

namespace aliquot::agent {
namespace {

std::string MiB(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

std::string ShareText(const GrantedCard& card) {
  return IsHeld(card) ? std::to_string(card.core) + " % and " + std::to_string(card.mib) +
                            " MiB of " + Printable(card.uuid)
                      : "all of " + Printable(card.uuid);
}

bool AnyHeld(const GrantRecord& grant) {
  return std::any_of(grant.cards.begin(), grant.cards.end(), IsHeld);
}

void JudgeHolder(const GrantRecord& grant, RowWriter& rows) {
  std::vector<std::string> shares;
  for (const GrantedCard& card : grant.cards) {
    shares.push_back(ShareText(card));
  }
  const std::string has = "has " + Join(shares, ", ");
  if (!AnyHeld(grant)) {
    rows.Ok("grant", has + "; a whole card is its own, nothing is to be held");
  } else if (!grant.library.empty()) {
    rows.Ok("grant", has + ", held by the enforcement library " + grant.library);
  } else if (grant.enforcement == "driver") {
    rows.Ok("grant", has + ", held by the driver's own limits, which are not looked at here");
  } else {
    rows.Failed("grant", has + " and nothing holds it to that: " +
                             (grant.isolation == "none" ? "its pod asked for isolation none"
                                                        : "no enforcement library is configured"));
  }
}

bool SameCards(const GrantRecord& grant, const model::AllocatedContainer& allocated) {
  const auto same = [](const GrantedCard& a, const model::AllocatedCard& b) {
    return a.uuid == b.uuid && a.core == b.core && a.mib == b.mib;
  };
  return allocated.limit == grant.limit &&
         std::equal(grant.cards.begin(), grant.cards.end(), allocated.cards.begin(),
                    allocated.cards.end(), same);
}

void JudgeRecord(const SeenContainer& seen, RowWriter& rows) {
  if (!seen.allocated) {
    rows.Unknown("record", "the record on the pod can't be compared: " + seen.allocation_problem);
  } else if (SameCards(seen.grant, *seen.allocated)) {
    rows.Ok("record", "the grant is what the record on the pod says");
  } else {
    rows.Failed("record",
                "the record on the pod says other cards or amounts than the grant; it was edited "
                "after the start, and what was granted holds");
  }
}

void JudgeLimits(const SeenContainer& seen, RowWriter& rows) {
  const auto expected = std::make_unique<quota::LimitsRecord>();
  if (const Status made = LimitsOfGrant(seen.grant, *expected); !made.ok()) {
    rows.Unknown("limits", made.message());
    return;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(expected.get()), sizeof *expected);
  if (seen.limits_file.empty()) {
    rows.Failed("limits", "the limits file of the grant can't be read on this node");
  } else if (seen.limits_file.size() != bytes.size() ||
             FixedPart(seen.limits_file) != FixedPart(bytes)) {
    rows.Failed("limits", "the limits file on this node says something else than the grant");
  } else {
    rows.Ok("limits", "the limits file says what was granted");
  }
}

ShareFacts FactsOf(const SeenContainer& seen, std::size_t card, std::uint64_t context_bytes) {
  ShareFacts facts;
  const std::string& uuid = seen.grant.cards[card].uuid;
  for (const SeenProcess& process : seen.processes) {
    const auto bytes = process.driver_bytes.find(uuid);
    if (bytes != process.driver_bytes.end()) {
      facts.processes.push_back({process.pid, LoadedLibrary::kOurs, bytes->second});
    }
  }
  facts.limit_bytes = seen.cards[card].limit_bytes;
  facts.usage_readable = seen.usage_problem.empty();
  facts.held_before = facts.held_after = seen.cards[card].charged_bytes.value_or(0);
  facts.context_bytes = context_bytes;
  return facts;
}

void JudgeCard(const SeenContainer& seen, std::size_t index, std::uint64_t context_bytes,
               RowWriter& rows) {
  const SeenCard& card = seen.cards[index];
  rows.About(Printable(seen.grant.cards[index].uuid));
  if (!card.driver_told) {
    rows.Unknown("memory", "the driver tells no memory of processes: " + card.driver_problem);
    return;
  }
  const ShareFacts facts = FactsOf(seen, index, context_bytes);
  std::uint64_t driver = 0;
  for (const ProcessFacts& process : facts.processes) {
    driver += process.driver_bytes.value_or(0);
  }
  std::string figures = "the driver counts " + MiB(driver) + " for " +
                        std::to_string(facts.processes.size()) + " processes, they charged ";
  figures += card.charged_bytes ? MiB(*card.charged_bytes) : "an unknown amount";
  figures += card.overhead_bytes ? ", overhead " + MiB(*card.overhead_bytes) : "";
  figures += ", the share is " + MiB(card.limit_bytes);
  for (const ShareVerdict& each : JudgeLook(facts)) {
    if (each.verdict == Verdict::kOverMemory) {
      rows.Failed("memory", figures + ": more than share and contexts explain");
      return;
    }
    if (each.verdict == Verdict::kUsageLow) {
      rows.Failed("memory", figures + ": far more than was charged");
      return;
    }
  }
  rows.Ok("memory", std::move(figures));
}

}  // namespace

std::string_view FixedPart(std::string_view record) {
  return record.substr(0, offsetof(quota::LimitsRecord, live));
}

bool HeldByLibrary(const SeenContainer& seen) {
  return !seen.grant.library.empty() && AnyHeld(seen.grant);
}

void JudgeGrant(const SeenContainer& seen, RowWriter& rows) {
  rows.About("");
  JudgeHolder(seen.grant, rows);
  JudgeRecord(seen, rows);
  JudgeLimits(seen, rows);
}

void JudgeMemory(const SeenContainer& seen, std::uint64_t context_bytes, RowWriter& rows) {
  if (!HeldByLibrary(seen)) {
    return;
  }
  rows.About("");
  if (seen.usage_problem.empty()) {
    rows.Ok("usage", "the usage file can be read; " + std::to_string(seen.slot_pids.size()) +
                         " processes hold a place in it");
  } else {
    rows.Failed("usage", seen.usage_problem);
  }
  for (std::size_t i = 0; i < seen.grant.cards.size() && i < seen.cards.size(); ++i) {
    if (IsHeld(seen.grant.cards[i])) {
      JudgeCard(seen, i, context_bytes, rows);
    }
  }
  rows.About("");
}

}  // namespace aliquot::agent
