// SPDX-License-Identifier: Apache-2.0
// Does this machine's clock agree with the API server's?
#include <cstdlib>

#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

// The header Date has whole seconds, and an answer may take some.
constexpr std::int64_t kNoticed = 60;
// New certificates are dated back by a day.
constexpr std::int64_t kHarmful = 24 * 3600;

}  // namespace

void CheckClock(const Observation& seen, Findings& findings) {
  Finding finding{"clock", Verdict::kOk, "this clock and the API server's agree", ""};
  if (!seen.ahead) {
    finding = {"clock", Verdict::kUnknown, "the API server did not say its time", ""};
  } else if (const std::int64_t by = std::abs(static_cast<std::int64_t>(seen.ahead->count()));
             by > kNoticed) {
    finding.verdict = by >= kHarmful ? Verdict::kFailed : Verdict::kWarning;
    finding.says = "this clock is " + std::to_string(by) + " s " +
                   (seen.ahead->count() > 0 ? "ahead of" : "behind") +
                   " the API server's; new certificates are valid from 24 h before they are made";
    finding.remedy = "let both machines' clocks be set by NTP (timedatectl shows whether one is)";
  }
  findings.push_back(std::move(finding));
}

}  // namespace aliquot::cli
