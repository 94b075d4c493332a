// SPDX-License-Identifier: Apache-2.0
// Do those who call the allocator call it through a proxy, which cannot reach it?
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/no_proxy.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kCheck[] = "proxy";

// The value of the first of two variables that is not empty, as Go's net/http reads them.
std::string Variable(const json& container, const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    for (const json& each : MemberAt(container, "/env")) {
      if (TextAt(each, "/name") == name && !TextAt(each, "/value").empty()) {
        return TextAt(each, "/value");
      }
    }
  }
  return {};
}

// "namespace/pod" when a container of it would call `host` by a proxy.
std::vector<std::string> Detours(const std::vector<json>& pods, const std::string& component,
                                 const std::string& host) {
  std::vector<std::string> found;
  for (const json& pod : pods) {
    for (const json& container : MemberAt(pod, "/spec/containers")) {
      if (TextAt(container, "/name") == component &&
          !Variable(container, "HTTPS_PROXY", "https_proxy").empty() &&
          !LeavesOut(Variable(container, "NO_PROXY", "no_proxy"), host)) {
        found.push_back(TextAt(pod, "/metadata/namespace") + "/" + TextAt(pod, "/metadata/name"));
      }
    }
  }
  return found;
}

bool Runs(const std::vector<json>& pods, const std::string& component) {
  for (const json& pod : pods) {
    for (const json& container : MemberAt(pod, "/spec/containers")) {
      if (TextAt(container, "/name") == component) {
        return true;
      }
    }
  }
  return false;
}

Finding Detour(const std::string& component, const std::vector<std::string>& pods,
               const std::string& service, const std::string& host) {
  return {kCheck, Verdict::kWarning,
          component + " has HTTPS_PROXY and its NO_PROXY does not hold " + host +
              ", so it calls Service " + service + " through the proxy: " + AtMostThree(pods),
          "add " + host + " to NO_PROXY in /etc/kubernetes/manifests/" + component +
              ".yaml on every control plane node; the kubelet starts it again by itself"};
}

}  // namespace

void CheckProxies(const Observation& seen, Findings& findings) {
  if (!seen.control_plane.ok()) {
    findings.push_back({kCheck, Verdict::kUnknown, seen.control_plane.status().message(), ""});
    return;
  }
  // The API server calls a webhook by this name, whatever address it dials.
  const std::string admission = "aliquot-admission." + seen.namespace_name + ".svc";
  std::vector<std::string> detours = Detours(*seen.control_plane, "kube-apiserver", admission);
  if (!detours.empty()) {
    findings.push_back(Detour("kube-apiserver", detours, "aliquot-admission", admission));
    return;
  }
  const std::string extender =
      seen.extender_service.ok() ? TextAt(*seen.extender_service, "/spec/clusterIP") : "";
  // A cluster's own kube-scheduler calls us in stock mode only.
  if (seen.scheduler.status().code() == StatusCode::kNotFound && !extender.empty()) {
    detours = Detours(*seen.control_plane, "kube-scheduler", extender);
    if (!detours.empty()) {
      findings.push_back(Detour("kube-scheduler", detours, "aliquot-extender", extender));
      return;
    }
  }
  if (!Runs(*seen.control_plane, "kube-apiserver")) {
    findings.push_back({kCheck, Verdict::kUnknown,
                        "kube-apiserver is no pod of kube-system, so its environment can't be "
                        "seen; a proxy there must leave out " +
                            admission,
                        ""});
    return;
  }
  findings.push_back(
      {kCheck, Verdict::kOk, "no proxy is between the control plane and the allocator", ""});
}

}  // namespace aliquot::cli
