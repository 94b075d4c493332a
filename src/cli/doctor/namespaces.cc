// SPDX-License-Identifier: Apache-2.0
// Do GPU pods run where the webhook does not look?
#include "cli/doctor/checks.h"

namespace aliquot::cli {

void CheckNamespaces(const Observation& seen, Findings& findings) {
  constexpr char kCheck[] = "excluded-namespaces";
  if (!seen.unseen_gpu_pods.ok()) {
    findings.push_back({kCheck, Verdict::kUnknown, seen.unseen_gpu_pods.status().message(), ""});
    return;
  }
  const auto& pods = *seen.unseen_gpu_pods;
  if (pods.empty()) {
    findings.push_back(
        {kCheck, Verdict::kOk, "no GPU pod is in a namespace that the webhook leaves out", ""});
    return;
  }
  findings.push_back(
      {kCheck, Verdict::kWarning,
       Counted(pods.size(), "GPU pod") + " in namespaces that the webhook leaves out: " +
           AtMostThree(pods) + "; not checked when created, and not sent to a bundled scheduler",
       "create them in another namespace, or shorten admission.excludedNamespaces of "
       "the chart"});
}

}  // namespace aliquot::cli
