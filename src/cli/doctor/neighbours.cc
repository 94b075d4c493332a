// SPDX-License-Identifier: Apache-2.0
// Does something else give out the same cards?
#include <set>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kPlugin[] = "nvidia-plugin";
constexpr char kHami[] = "hami";
constexpr char kManager[] = "gpu-manager";
constexpr char kVolcano[] = "volcano-vgpu";
constexpr char kKai[] = "kai";

// As kubectl takes names, for a command that can be pasted.
std::string Words(const std::vector<std::string>& names) { return Join(names, " "); }

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
            "nvidia.com/gpu (or nvidia.com/mig-) is advertised beside our resources on " +
                AtMostThree(twice) + ": the same card can be given twice",
            "with the GPU Operator: kubectl label node " + Words(twice) +
                " nvidia.com/gpu.deploy.device-plugin=false --overwrite; without it keep NVIDIA's "
                "or HAMi's device plugin off those nodes"};
  }
  if (!operated.empty()) {
    return {kPlugin, Verdict::kWarning,
            "the GPU Operator is to run its device plugin on " + AtMostThree(operated) +
                ", where our agent offers the cards",
            "kubectl label node " + Words(operated) +
                " nvidia.com/gpu.deploy.device-plugin=false --overwrite"};
  }
  return {kPlugin, Verdict::kOk, "no node of ours advertises nvidia.com/gpu", ""};
}

Finding Hami(const Observation& seen) {
  if (seen.webhooks.ok()) {
    for (const json& each : *seen.webhooks) {
      const std::string name = TextAt(each, "/metadata/name");
      if (name.find("hami-webhook") != std::string::npos) {
        return {
            kHami, Verdict::kWarning,
            "HAMi is installed (MutatingWebhookConfiguration " + name +
                "): a node must belong to one of the two, never to both",
            "kubectl label node NODE gpu- for nodes of ours keeps HAMi's device plugin off them; "
            "aliquotctl convert translates its manifests"};
      }
    }
  }
  if (seen.daemon_sets.ok()) {
    for (const json& each : *seen.daemon_sets) {
      const std::string name = TextAt(each, "/metadata/name");
      if (name.find("hami-device-plugin") != std::string::npos) {
        return {
            kHami, Verdict::kWarning,
            "HAMi's DaemonSet " + TextAt(each, "/metadata/namespace") + "/" + name +
                " runs: a node must belong to one of the two, never to both",
            "kubectl label node NODE gpu- for nodes of ours keeps it off them; aliquotctl convert "
            "translates its manifests"};
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
  if (seen.nodes.ok()) {
    std::vector<std::string> labelled;
    for (const SeenNode& node : *seen.nodes) {
      if (node.has_inventory && node.for_gpu_manager) {
        labelled.push_back(node.name);
      }
    }
    if (!labelled.empty()) {
      return {kManager, Verdict::kFailed,
              "label nvidia-device-enable=enable, which places gpu-manager, is left on " +
                  AtMostThree(labelled) + ": our agent offers no card there",
              "kubectl label node " + Words(labelled) + " nvidia-device-enable-"};
    }
  }
  return {kManager, Verdict::kOk, "gpu-manager does not run", ""};
}

Finding Volcano(const Observation& seen) {
  if (!seen.nodes.ok()) {
    return {kVolcano, Verdict::kUnknown, seen.nodes.status().message(), ""};
  }
  std::vector<std::string> twice;
  for (const SeenNode& node : *seen.nodes) {
    if (node.has_inventory && node.advertises_volcano) {
      twice.push_back(node.name);
    }
  }
  if (!twice.empty()) {
    return {kVolcano, Verdict::kFailed,
            "volcano.sh/vgpu-* is advertised beside our resources on " + AtMostThree(twice) +
                ": the same card can be given twice",
            "keep the DaemonSet volcano-device-plugin off those nodes by a nodeSelector; Volcano's "
            "scheduler itself may stay"};
  }
  return {kVolcano, Verdict::kOk, "no node of ours advertises Volcano's vGPUs", ""};
}

Finding Kai(const Observation& seen) {
  for (const Status& status : {seen.nodes.status(), seen.kai_pods.status()}) {
    if (!status.ok()) {
      return {kKai, Verdict::kUnknown, status.message(), ""};
    }
  }
  std::set<std::string> ours;
  for (const SeenNode& node : *seen.nodes) {
    if (node.has_inventory) {
      ours.insert(node.name);
    }
  }
  std::vector<std::string> sharing;
  for (const json& pod : *seen.kai_pods) {
    const std::string phase = TextAt(pod, "/status/phase");
    if (phase != "Succeeded" && phase != "Failed" &&
        ours.count(TextAt(pod, "/spec/nodeName")) > 0) {
      sharing.push_back(TextAt(pod, "/metadata/namespace") + "/" + TextAt(pod, "/metadata/name"));
    }
  }
  if (!sharing.empty()) {
    return {kKai, Verdict::kFailed,
            Counted(sharing.size(), "pod") +
                " on nodes of ours with a share of a card by KAI Scheduler, which our books do not "
                "count: " +
                AtMostThree(sharing),
            "move them: aliquotctl convert translates KAI's annotations; keep KAI's pods off those "
            "nodes by a taint or a node pool of their own"};
  }
  return {kKai, Verdict::kOk, "no pod shares a card of ours by KAI Scheduler", ""};
}

}  // namespace

void CheckNeighbours(const Observation& seen, Findings& findings) {
  findings.push_back(Plugin(seen));
  findings.push_back(Hami(seen));
  findings.push_back(Manager(seen));
  findings.push_back(Volcano(seen));
  findings.push_back(Kai(seen));
}

}  // namespace aliquot::cli
