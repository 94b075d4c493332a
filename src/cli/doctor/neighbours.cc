// SPDX-License-Identifier: Apache-2.0
// Does something else give out the same cards?
#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kPlugin[] = "nvidia-plugin";
constexpr char kHami[] = "hami";
constexpr char kManager[] = "gpu-manager";

Finding Plugin(const Observation& seen) {
  if (!seen.nodes.ok()) {
    return {kPlugin, Verdict::kUnknown, seen.nodes.status().message(), ""};
  }
  std::vector<std::string> twice;
  std::vector<std::string> operated;
  for (const SeenNode& node : *seen.nodes) {
    if (!node.has_inventory) {
      continue;
    }
    if (node.advertises_nvidia) {
      twice.push_back(node.name);
    } else if (node.operator_plugin == "true") {
      operated.push_back(node.name);
    }
  }
  if (!twice.empty()) {
    return {kPlugin, Verdict::kFailed,
            "nvidia.com/gpu is advertised beside our resources on " + SomeOf(twice) +
                ": the same card can be given twice",
            "kubectl label node NODE nvidia.com/gpu.deploy.device-plugin=false --overwrite, or "
            "keep NVIDIA's device plugin off those nodes"};
  }
  if (!operated.empty()) {
    return {kPlugin, Verdict::kWarning,
            "the GPU Operator is to run its device plugin on " + SomeOf(operated) +
                ", where our agent offers the cards",
            "kubectl label node NODE nvidia.com/gpu.deploy.device-plugin=false --overwrite"};
  }
  return {kPlugin, Verdict::kOk, "no node of ours advertises nvidia.com/gpu", ""};
}

Finding Hami(const Observation& seen) {
  if (seen.webhooks.ok()) {
    for (const json& each : *seen.webhooks) {
      const std::string name = TextAt(each, "/metadata/name");
      if (name.find("hami-webhook") != std::string::npos) {
        return {kHami, Verdict::kWarning,
                "HAMi is installed (MutatingWebhookConfiguration " + name +
                    "): a node must belong to one of the two, never to both",
                "keep HAMi's device plugin off our nodes (its label gpu=on), and see docs/migrate"};
      }
    }
  }
  if (seen.daemon_sets.ok()) {
    for (const json& each : *seen.daemon_sets) {
      const std::string name = TextAt(each, "/metadata/name");
      if (name.find("hami-device-plugin") != std::string::npos) {
        return {kHami, Verdict::kWarning,
                "HAMi's DaemonSet " + TextAt(each, "/metadata/namespace") + "/" + name +
                    " runs: a node must belong to one of the two, never to both",
                "keep it off our nodes (its label gpu=on)"};
      }
    }
  }
  for (const Objects* each : {&seen.webhooks, &seen.daemon_sets}) {
    if (!each->ok()) {
      return {kHami, Verdict::kUnknown, each->status().message(), ""};
    }
  }
  return {kHami, Verdict::kOk, "HAMi is not installed", ""};
}

bool IsGpuManager(const json& set) {
  if (StartsWith(TextAt(set, "/metadata/name"), "gpu-manager")) {
    return true;
  }
  for (const json& container : MemberAt(set, "/spec/template/spec/containers")) {
    if (TextAt(container, "/image").find("tkestack/gpu-manager") != std::string::npos) {
      return true;
    }
  }
  return false;
}

Finding Manager(const Observation& seen) {
  if (!seen.daemon_sets.ok()) {
    return {kManager, Verdict::kUnknown, seen.daemon_sets.status().message(), ""};
  }
  for (const json& each : *seen.daemon_sets) {
    if (IsGpuManager(each) && NumberAt(each, "/status/currentNumberScheduled") > 0) {
      return {kManager, Verdict::kWarning,
              "gpu-manager runs on " +
                  std::to_string(NumberAt(each, "/status/currentNumberScheduled")) +
                  " nodes: it advertises the same resources as our agent, so a node must belong to "
                  "one of the two",
              "move node by node as docs/migrate/gpu-manager.md says"};
    }
  }
  return {kManager, Verdict::kOk, "gpu-manager does not run", ""};
}

}  // namespace

void CheckNeighbours(const Observation& seen, Findings& findings) {
  findings.push_back(Plugin(seen));
  findings.push_back(Hami(seen));
  findings.push_back(Manager(seen));
}

}  // namespace aliquot::cli
