// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/strings.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {

Findings Diagnose(const Observation& seen) {
  Findings findings;
  for (const auto check : {CheckInstallation, CheckClock, CheckCertificatesOf, CheckWebhook,
                           CheckPolicies, CheckScheduler, CheckAgents, CheckRecords,
                           CheckNamespaces, CheckNeighbours, CheckExposure, CheckProxies}) {
    check(seen, findings);
  }
  return findings;
}

std::string Kubectl(const Observation& seen, const std::string& verb) {
  return "kubectl -n " + seen.namespace_name + " " + verb;
}

std::string PutBack(const Observation& seen) {
  const std::string in = " -n " + seen.namespace_name;
  return "helm upgrade RELEASE CHART" + in + " --reset-then-reuse-values puts it back (helm list" +
         in + " names release and version)";
}

std::string AllocatorLog(const Observation& seen) {
  return "the reason is in " + Kubectl(seen, "logs deployment/aliquot-allocator");
}

std::string Counted(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

std::string AtMostThree(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size()));
  std::string text = Join({names.begin(), end}, ", ");
  if (names.size() > kShown) {
    text += " and " + std::to_string(names.size() - kShown) + " more";
  }
  return text;
}

}  // namespace aliquot::cli
