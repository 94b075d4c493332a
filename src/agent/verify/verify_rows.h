// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/verify/verify_facts.h"

namespace aliquot::agent {

// One check and what came of it, for people: docs/reference/verify.md lists them.
struct VerifyRow {
  enum class Outcome { kOk, kFailed, kUnknown };

  std::string container;
  std::string check;    // "grant", "record", "limits", "usage", "memory", "library", "inside", ..
  std::string subject;  // a card's UUID, "name (pid)", or "" for the container
  Outcome outcome = Outcome::kUnknown;
  std::string says;  // one sentence
};

std::string_view OutcomeName(VerifyRow::Outcome outcome);  // "ok", "failed", "unknown"
// The worst of all; a pod without a row is unknown.
VerifyRow::Outcome WorstOf(const std::vector<VerifyRow>& rows);

// Is the pod held as it was granted? Rows by container in the order of the facts. What could not be
// looked at is unknown, never ok. Pure.
std::vector<VerifyRow> JudgePod(const VerifyFacts& facts);

// {"v":1,"node":..,"pod":..,"uid":..,"result":..,"checks":[{"container":..,"check":..,..}]}. Pure.
std::string VerifyPage(const VerifyFacts& facts, const std::vector<VerifyRow>& rows);

}  // namespace aliquot::agent
