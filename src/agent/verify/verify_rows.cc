// SPDX-License-Identifier: Apache-2.0
#include "agent/verify/verify_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/verify/row_writer.h"

namespace aliquot::agent {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = VerifyRow::Outcome;

void Append(std::vector<VerifyRow>& all, std::vector<VerifyRow> rows) {
  all.insert(all.end(), std::make_move_iterator(rows.begin()), std::make_move_iterator(rows.end()));
}

std::vector<VerifyRow> JudgeContainer(const VerifyFacts& facts, const SeenContainer& seen) {
  RowWriter rows(seen.grant.identity.container);
  JudgeGrant(seen, rows);
  JudgeMemory(seen, facts.context_bytes, rows);
  if (seen.processes.empty()) {
    rows.Ok("processes",
            "none of its " + std::to_string(seen.others) + " processes uses a card now");
  }
  for (const SeenProcess& process : seen.processes) {
    JudgeProcess(seen, process, facts.machine, rows);
  }
  return rows.Take();
}

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

Outcome WorstOf(const std::vector<VerifyRow>& rows) {
  const auto any = [&rows](Outcome outcome) {
    return std::any_of(rows.begin(), rows.end(),
                       [outcome](const VerifyRow& row) { return row.outcome == outcome; });
  };
  if (any(Outcome::kFailed)) {
    return Outcome::kFailed;
  }
  return rows.empty() || any(Outcome::kUnknown) ? Outcome::kUnknown : Outcome::kOk;
}

std::vector<VerifyRow> JudgePod(const VerifyFacts& facts) {
  std::vector<VerifyRow> all;
  for (const SeenContainer& seen : facts.containers) {
    Append(all, JudgeContainer(facts, seen));
  }
  for (const std::string& stranger : facts.strangers) {
    all.push_back({"", "strangers", stranger, Outcome::kFailed,
                   "it uses a card although its container was granted none"});
  }
  if (facts.unseen > 0) {
    all.push_back(
        {"", "processes", "", Outcome::kUnknown,
         std::to_string(facts.unseen) +
             " processes of the pod were not looked at; it has more than one look takes"});
  }
  return all;
}

std::string VerifyPage(const VerifyFacts& facts, const std::vector<VerifyRow>& rows) {
  Json checks = Json::array();
  for (const VerifyRow& row : rows) {
    checks.push_back({{"container", row.container},
                      {"check", row.check},
                      {"subject", row.subject},
                      {"result", OutcomeName(row.outcome)},
                      {"says", row.says}});
  }
  const Json page = {{"v", 1},
                     {"node", facts.node},
                     {"pod", facts.pod.ToString()},
                     {"uid", facts.uid},
                     {"result", OutcomeName(WorstOf(rows))},
                     {"checks", std::move(checks)}};
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace aliquot::agent
