// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/strings.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {

Findings Diagnose(const Observation& seen) {
  Findings findings;
  for (const auto check :
       {CheckInstallation, CheckClock, CheckCertificatesOf, CheckWebhook, CheckPolicies,
        CheckScheduler, CheckAgents, CheckRecords, CheckNamespaces, CheckNeighbours}) {
    check(seen, findings);
  }
  return findings;
}

std::string SomeOf(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size()));
  std::string text = Join({names.begin(), end}, ", ");
  if (names.size() > kShown) {
    text += " and " + std::to_string(names.size() - kShown) + " more";
  }
  return text;
}

}  // namespace aliquot::cli
