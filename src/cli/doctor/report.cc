// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

const char* Word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk:
      return "ok";
    case Verdict::kWarning:
      return "warning";
    case Verdict::kFailed:
      return "failed";
    case Verdict::kUnknown:
      break;
  }
  return "unknown";
}

int Order(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFailed:
      return 0;
    case Verdict::kWarning:
      return 1;
    case Verdict::kUnknown:
      return 2;
    case Verdict::kOk:
      break;
  }
  return 3;
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

constexpr std::size_t kShown = 1000;  // of one sentence; texts of the cluster may be in it

}  // namespace

bool AnyFailed(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& each) { return each.verdict == Verdict::kFailed; });
}

std::string FindingsTable(const Findings& findings) {
  Findings sorted = findings;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Finding& a, const Finding& b) {
    return Order(a.verdict) < Order(b.verdict);
  });
  std::size_t width = 5;
  for (const Finding& each : sorted) {
    width = std::max(width, each.check.size());
  }
  std::string text = "RESULT   " + Padded("CHECK", width) + "  SAYS\n";
  for (const Finding& each : sorted) {
    text += Padded(Word(each.verdict), 9) + Padded(each.check, width) + "  " +
            Printable(each.says, kShown) + "\n";
    if (!each.remedy.empty()) {
      text += std::string(9 + width, ' ') + "  -> " + Printable(each.remedy, kShown) + "\n";
    }
  }
  return text;
}

std::string FindingsJson(const Findings& findings) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Finding& each : findings) {
    list.push_back(Json{{"check", each.check},
                        {"result", Word(each.verdict)},
                        {"says", each.says},
                        {"remedy", each.remedy}});
  }
  const Json page{
      {"v", 1}, {"result", AnyFailed(findings) ? "failed" : "ok"}, {"findings", std::move(list)}};
  return page.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aliquot::cli
