// SPDX-License-Identifier: Apache-2.0
// Does an agent of this version run on every node that is to have one, and do its cards show?
#include <set>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kAgents[] = "agents";
constexpr char kVersions[] = "versions";
constexpr char kShown[] = "cards-advertised";

// An event that says why the DaemonSet gets no pods; "".
std::string Refusal(const Observation& seen) {
  if (!seen.own_events.ok()) {
    return {};
  }
  std::string last;
  for (const json& event : *seen.own_events) {
    if (TextAt(event, "/reason") == "FailedCreate" &&
        TextAt(event, "/involvedObject/kind") == "DaemonSet") {
      last = TextAt(event, "/message");
    }
  }
  return Printable(last, 300);
}

Finding InStep(const Observation& seen) {
  if (!seen.daemon_sets.ok()) {
    return {kAgents, Verdict::kUnknown, seen.daemon_sets.status().message(), ""};
  }
  std::int64_t desired = 0;
  std::int64_t ready = 0;
  std::int64_t updated = 0;
  bool found = false;
  for (const json& each : *seen.daemon_sets) {
    if (TextAt(each, "/metadata/namespace") == seen.namespace_name &&
        TextAt(each, "/metadata/labels/app.kubernetes.io~1name") == "aliquot-agent") {
      found = true;
      desired += NumberAt(each, "/status/desiredNumberScheduled");
      ready += NumberAt(each, "/status/numberReady");
      updated += NumberAt(each, "/status/updatedNumberScheduled");
    }
  }
  if (!found) {
    return {kAgents, Verdict::kFailed, "there is no DaemonSet of node agents",
            PutBack(seen) + ", unless agent.enabled is false there"};
  }
  if (ready >= desired && updated >= desired) {
    return desired == 0 ? Finding{kAgents, Verdict::kWarning, "no node is to have an agent",
                                  "see agent.nodeSelector and agent.tolerations of the chart"}
                        : Finding{kAgents, Verdict::kOk,
                                  "all " + std::to_string(desired) + " agents are ready", ""};
  }
  if (ready >= desired) {
    return {kAgents, Verdict::kWarning,
            std::to_string(desired - updated) + " of " + std::to_string(desired) +
                " agents are still the earlier ones",
            Kubectl(seen, "rollout status daemonset/aliquot-agent") + ", then look again"};
  }
  const std::string refusal = Refusal(seen);
  const bool security = refusal.find("PodSecurity") != std::string::npos;
  return {kAgents, Verdict::kFailed,
          std::to_string(desired - ready) + " of " + std::to_string(desired) +
              " agents are not ready" + (refusal.empty() ? "" : ": " + refusal),
          security ? "kubectl label namespace " + seen.namespace_name +
                         " pod-security.kubernetes.io/enforce=privileged --overwrite"
                   : "the reason is in " +
                         Kubectl(seen, "describe pods -l app.kubernetes.io/name=aliquot-agent")};
}

Finding SameVersion(const Observation& seen) {
  if (!seen.own_pods.ok()) {
    return {kVersions, Verdict::kUnknown, seen.own_pods.status().message(), ""};
  }
  std::set<std::string> versions;
  for (const json& pod : *seen.own_pods) {
    const std::string version = TextAt(pod, "/metadata/labels/app.kubernetes.io~1version");
    const std::string name = TextAt(pod, "/metadata/labels/app.kubernetes.io~1name");
    if (StartsWith(name, "aliquot") && !version.empty() &&
        !MemberAt(pod, "/metadata").contains("deletionTimestamp")) {
      versions.insert(version);
    }
  }
  if (versions.size() > 1) {
    return {kVersions, Verdict::kWarning,
            "pods of several versions run: " + AtMostThree({versions.begin(), versions.end()}),
            "finish the upgrade; each version reads the records of the one before"};
  }
  if (versions.empty()) {
    return {kVersions, Verdict::kUnknown, "no pod of Aliquot says its version", ""};
  }
  return {kVersions, Verdict::kOk, "all pods are of version " + *versions.begin(), ""};
}

std::string AgentLogs(const Observation& seen) {
  return Kubectl(seen,
                 "get pods -l app.kubernetes.io/name=aliquot-agent -o wide names the node's agent, "
                 "whose log says why");
}

Finding Advertised(const Observation& seen) {
  if (!seen.nodes.ok()) {
    return {kShown, Verdict::kUnknown, seen.nodes.status().message(), ""};
  }
  std::vector<std::string> silent;
  std::size_t with_cards = 0;
  for (const SeenNode& node : *seen.nodes) {
    with_cards += node.has_inventory ? 1 : 0;
    if (node.has_inventory && !node.advertises_ours) {
      silent.push_back(node.name);
    }
  }
  if (!silent.empty()) {
    return {kShown, Verdict::kFailed,
            "the kubelet advertises no " + seen.names.core + " on " + AtMostThree(silent) +
                ", though an inventory of cards is published: no GPU pod fits there",
            AgentLogs(seen) +
                ": all cards unhealthy, not registered with the kubelet, or another "
                "plugin owns them"};
  }
  if (with_cards == 0) {
    return {kShown, Verdict::kWarning,
            "no node has an inventory of cards: no GPU pod can be placed",
            AgentLogs(seen) +
                ": most often there is no driver on the node, or agent.driverRoot is "
                "another directory"};
  }
  return {kShown, Verdict::kOk, Counted(with_cards, "node") + " with cards on offer", ""};
}

}  // namespace

void CheckAgents(const Observation& seen, Findings& findings) {
  findings.push_back(InStep(seen));
  findings.push_back(SameVersion(seen));
  findings.push_back(Advertised(seen));
}

}  // namespace aliquot::cli
