// SPDX-License-Identifier: Apache-2.0
// Is the allocator there and ready, and once only?
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kAllocator[] = "allocator";
constexpr char kOnce[] = "one-installation";

Finding Allocator(const Observation& seen) {
  const Object& allocator = seen.allocator;
  if (allocator.status().code() == StatusCode::kNotFound) {
    return {kAllocator, Verdict::kFailed,
            "there is no Deployment aliquot-allocator in namespace " + seen.namespace_name,
            "name Aliquot's namespace with -n (helm list -A shows it), or install the chart"};
  }
  if (!allocator.ok()) {
    return {kAllocator, Verdict::kUnknown, allocator.status().message(), ""};
  }
  const auto ready = NumberAt(*allocator, "/status/readyReplicas");
  if (ready < 1) {
    return {kAllocator, Verdict::kFailed,
            "no pod of aliquot-allocator is ready: GPU pods are refused until one is",
            AllocatorLog(seen) + "; without a pod: " +
                Kubectl(seen, "describe pods -l app.kubernetes.io/name=aliquot-allocator")};
  }
  if (ready > 1) {
    return {kAllocator, Verdict::kFailed,
            std::to_string(ready) +
                " allocators are ready: each gives cards that the other one "
                "does not know of",
            Kubectl(seen, "scale deployment/aliquot-allocator --replicas=1")};
  }
  return {kAllocator, Verdict::kOk, "one allocator is ready", ""};
}

// Namespaces, besides ours, to which a webhook or a DaemonSet of Aliquot belongs.
std::vector<std::string> Others(const Observation& seen) {
  std::vector<std::string> others;
  if (seen.webhooks.ok()) {
    for (const json& each : *seen.webhooks) {
      const std::string in = TextAt(each, "/webhooks/0/clientConfig/service/namespace");
      if (TextAt(each, "/webhooks/0/clientConfig/service/name") == "aliquot-admission" &&
          (in != seen.namespace_name || TextAt(each, "/metadata/name") != "aliquot")) {
        others.push_back("MutatingWebhookConfiguration " + TextAt(each, "/metadata/name") +
                         " (namespace " + in + ")");
      }
    }
  }
  if (seen.daemon_sets.ok()) {
    for (const json& each : *seen.daemon_sets) {
      const std::string in = TextAt(each, "/metadata/namespace");
      if (TextAt(each, "/metadata/labels/app.kubernetes.io~1name") == "aliquot-agent" &&
          in != seen.namespace_name) {
        others.push_back("DaemonSet " + TextAt(each, "/metadata/name") + " (namespace " + in + ")");
      }
    }
  }
  return others;
}

Finding Once(const Observation& seen) {
  const std::vector<std::string> others = Others(seen);
  if (!others.empty()) {
    return {kOnce, Verdict::kFailed,
            "a second installation is in the cluster: " + AtMostThree(others) +
                "; both would give the same cards",
            "helm list -A shows them; helm -n NAMESPACE uninstall the one that is not meant, and "
            "delete "
            "by hand what no release owns"};
  }
  if (!seen.webhooks.ok()) {
    return {kOnce, Verdict::kUnknown, seen.webhooks.status().message(), ""};
  }
  if (!seen.daemon_sets.ok()) {
    return {kOnce, Verdict::kUnknown, seen.daemon_sets.status().message(), ""};
  }
  return {kOnce, Verdict::kOk, "there is no second installation", ""};
}

}  // namespace

void CheckInstallation(const Observation& seen, Findings& findings) {
  findings.push_back(Allocator(seen));
  findings.push_back(Once(seen));
}

}  // namespace aliquot::cli
