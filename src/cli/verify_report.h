// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::cli {

// An agent's page /verify (docs/reference/verify.md), as aliquotctl reads and prints it. What it
// holds comes from containers, so nothing of it reaches a terminal with control characters. Pure.
struct VerifyReport {
  struct Check {
    std::string container;
    std::string check;
    std::string subject;
    std::string result;  // "ok", "failed", "unknown"
    std::string says;
  };

  std::string node;
  std::string pod;
  std::string result;
  std::vector<Check> checks;

  // Every check was made and is ok.
  bool ok() const;
};

// Version 1 of the page. Another version, or anything else, is refused with one sentence.
Result<VerifyReport> ParseVerifyReport(std::string_view json);
// One line a check, what is not ok first.
std::string VerifyTable(const VerifyReport& report);

}  // namespace aliquot::cli
