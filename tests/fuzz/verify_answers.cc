// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/caller_review_codec.h"
#include "cli/verify_report.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

// Names in it come from containers: whatever they are, a table is whole lines of printable text,
// and nothing but checks that are all ok is called held.
void VerifyPage(std::string_view input) {
  const auto report = cli::ParseVerifyReport(input);
  if (!report.ok()) {
    return;
  }
  const std::string table = cli::VerifyTable(*report);
  Require(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')) ==
          report->checks.size() + 2);
  Require(std::none_of(table.begin(), table.end(), [](char c) {
    return c != '\n' && (static_cast<unsigned char>(c) < 0x20 || c == 0x7f);
  }));
  Require(!report->ok() || (!report->checks.empty() && report->result == "ok"));
}

// Nobody without a name is let in.
void CallerReview(std::string_view input) {
  const auto who = api::ParseTokenReview(input);
  Require(!who.ok() || !who->authenticated || !who->caller.user.empty());
  const auto allowed = api::ParseAccessReview(input);
  Require(!allowed.ok() || !who.ok());  // one text is not both
}

}  // namespace aliquot::fuzz
