// SPDX-License-Identifier: Apache-2.0
#include "cli/verify_report.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kWidestCell = 60;
constexpr std::size_t kLongestSentence = 1000;

std::string TextAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Status NotAPage(const std::string& why) {
  return InvalidArgument("the agent's answer is no page of checks: " + why);
}

bool IsResult(const std::string& text) {
  return text == "ok" || text == "failed" || text == "unknown";
}

int Rank(const VerifyReport::Check& check) {
  return check.result == "failed" ? 0 : check.result == "unknown" ? 1 : 2;
}

using Row = std::array<std::string, 5>;

Row RowOf(const VerifyReport::Check& check) {
  return {check.result, Printable(check.container, kWidestCell),
          Printable(check.check, kWidestCell), Printable(check.subject, kWidestCell),
          Printable(check.says, kLongestSentence)};
}

std::string Lines(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths.at(i) = std::max(widths.at(i), row.at(i).size());
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += row.at(i) + std::string(widths.at(i) - row.at(i).size() + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

bool VerifyReport::ok() const {
  return !checks.empty() && result == "ok" &&
         std::all_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.result == "ok"; });
}

Result<VerifyReport> ParseVerifyReport(std::string_view json) {
  const Json page = Json::parse(json, nullptr, false);
  if (!page.is_object()) {
    return NotAPage("it is not JSON");
  }
  const Json version = page.value("v", Json());
  if (version != 1) {
    return NotAPage("its version is not 1; use an aliquotctl of the agent's version");
  }
  VerifyReport report;
  report.node = TextAt(page, "node");
  report.pod = TextAt(page, "pod");
  report.result = TextAt(page, "result");
  const auto checks = page.find("checks");
  if (!IsResult(report.result) || checks == page.end() || !checks->is_array()) {
    return NotAPage("it has no result or no checks");
  }
  for (const Json& each : *checks) {
    VerifyReport::Check check{TextAt(each, "container"), TextAt(each, "check"),
                              TextAt(each, "subject"), TextAt(each, "result"),
                              TextAt(each, "says")};
    if (!IsResult(check.result)) {
      return NotAPage("one of its checks has no result");
    }
    report.checks.push_back(std::move(check));
  }
  return report;
}

std::string VerifyTable(const VerifyReport& report) {
  auto checks = report.checks;
  std::stable_sort(checks.begin(), checks.end(),
                   [](const auto& a, const auto& b) { return Rank(a) < Rank(b); });
  std::vector<Row> rows{{"RESULT", "CONTAINER", "CHECK", "SUBJECT", "SAYS"}};
  std::array<std::size_t, 3> counts{};
  for (const VerifyReport::Check& check : checks) {
    rows.push_back(RowOf(check));
    ++counts.at(static_cast<std::size_t>(Rank(check)));
  }
  return "pod " + Printable(report.pod, 320) + " on node " + Printable(report.node, 253) + ": " +
         std::to_string(counts[2]) + " ok, " + std::to_string(counts[0]) + " failed, " +
         std::to_string(counts[1]) + " unknown\n" + Lines(rows);
}

}  // namespace aliquot::cli
