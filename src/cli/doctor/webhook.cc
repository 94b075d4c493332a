// SPDX-License-Identifier: Apache-2.0
// Does a GPU pod reach our webhook, and an ordinary pod not depend on it?
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/secret_data.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kConfiguration[] = "webhook";
constexpr char kTried[] = "webhook-called";

Finding Configuration(const Observation& seen) {
  if (!seen.webhooks.ok()) {
    return {kConfiguration, Verdict::kUnknown, seen.webhooks.status().message(), ""};
  }
  const json* ours = OurWebhooks(*seen.webhooks, seen.namespace_name);
  if (ours == nullptr) {
    return {kConfiguration, Verdict::kFailed,
            "there is no MutatingWebhookConfiguration aliquot for namespace " +
                seen.namespace_name + ": GPU pods are neither checked nor completed",
            PutBack(seen)};
  }
  for (const json& webhook : MemberAt(*ours, "/webhooks")) {
    const std::string name = TextAt(webhook, "/name");
    if (TextAt(webhook, "/clientConfig/caBundle").empty()) {
      return {kConfiguration, Verdict::kFailed, "webhook " + name + " has no caBundle yet",
              AllocatorLog(seen)};
    }
    const json& conditions = MemberAt(webhook, "/matchConditions");
    if (TextAt(webhook, "/failurePolicy") == "Fail" &&
        (!conditions.is_array() || conditions.empty())) {
      return {kConfiguration, Verdict::kFailed,
              "webhook " + name +
                  " has failurePolicy Fail and no matchConditions: every pod of "
                  "the cluster depends on it",
              PutBack(seen)};
    }
  }
  return {kConfiguration, Verdict::kOk, "the webhooks are registered and have a caBundle", ""};
}

bool Contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

Finding Tried(const Observation& seen) {
  const Object& tried = seen.tried_pod;
  if (!tried.ok()) {
    const std::string says = tried.status().message();
    if (Contains(says, "failed calling webhook") || Contains(says, "aliquot-admission")) {
      return {kTried, Verdict::kFailed, "a GPU pod can't be created: " + says,
              "see whether the allocator is ready (" +
                  Kubectl(seen, "get pods -l app.kubernetes.io/name=aliquot-allocator") +
                  "), and whether the API server reaches Service aliquot-admission: NetworkPolicy, "
                  "firewall to port 8444, proxy"};
    }
    return {kTried, Verdict::kUnknown, "no GPU pod was tried: " + says,
            "name a namespace in which you may create pods with --try-in"};
  }
  if (TextAt(*tried, "/metadata/labels/aliquot.io~1gpu") != "true") {
    return {kTried, Verdict::kFailed,
            "a GPU pod was let in without the label aliquot.io/gpu: the webhook was not called",
            "kubectl get mutatingwebhookconfiguration aliquot -o yaml shows which namespaces it "
            "leaves out (admission.excludedNamespaces of the chart); name another with --try-in"};
  }
  const std::string scheduler = TextAt(*tried, "/spec/schedulerName");
  if (seen.scheduler.ok() && scheduler == "default-scheduler") {
    return {kTried, Verdict::kFailed,
            "a GPU pod that names no scheduler is left to default-scheduler, and the bundled one "
            "would never see it",
            "the chart names it in scheduler.mode bundled: " +
                Kubectl(seen, "get configmap aliquot-allocator -o yaml") +
                " must have it as admission.schedulerName; then " +
                Kubectl(seen, "rollout restart deployment/aliquot-allocator")};
  }
  return {kTried, Verdict::kOk,
          "a GPU pod passes the webhook (dry run) and goes to scheduler " + scheduler, ""};
}

}  // namespace

void CheckWebhook(const Observation& seen, Findings& findings) {
  findings.push_back(Configuration(seen));
  findings.push_back(Tried(seen));
}

}  // namespace aliquot::cli
