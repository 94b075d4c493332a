// SPDX-License-Identifier: Apache-2.0
// Does NVIDIA's container runtime hand cards to pods that did not ask for any?
#include <algorithm>
#include <set>

#include "base/strings.h"
#include "cli/doctor/api_reader.h"
#include "cli/doctor/checks.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr char kCheck[] = "nvidia-runtime";

constexpr char kByHand[] =
    "on each of these nodes: nvidia-ctk config --in-place --set "
    "accept-nvidia-visible-devices-envvar-when-unprivileged=false; with the GPU Operator see "
    "docs/operations/gpu-operator.md#toolkit-and-runtime";
constexpr char kByOperator[] =
    "kubectl edit clusterpolicies.nvidia.com: in toolkit.env set "
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED to false and "
    "ACCEPT_NVIDIA_VISIBLE_DEVICES_AS_VOLUME_MOUNTS to true, and in devicePlugin.env "
    "DEVICE_LIST_STRATEGY to volume-mounts, or pods of its own plugin lose their cards";

// What the GPU Operator's toolkit sets up on nodes. Source: NVIDIA container toolkit,
// nvidia-ctk-installer: a variable that is not set is true for both.
struct Toolkit {
  bool runs = false;
  bool accepts_variable = true;
  bool sets_default = true;
};

Toolkit ToolkitOf(const std::vector<json>& daemon_sets) {
  Toolkit toolkit;
  for (const json& set : daemon_sets) {
    if (TextAt(set, "/metadata/name").find("nvidia-container-toolkit") == std::string::npos ||
        NumberAt(set, "/status/desiredNumberScheduled") < 1) {
      continue;
    }
    toolkit.runs = true;
    for (const json& container : MemberAt(set, "/spec/template/spec/containers")) {
      for (const json& each : MemberAt(container, "/env")) {
        const std::string name = TextAt(each, "/name");
        const std::string value = TextAt(each, "/value");
        const bool no = value == "false" || value == "0";
        if (name == "ACCEPT_NVIDIA_VISIBLE_DEVICES_ENVVAR_WHEN_UNPRIVILEGED") {
          toolkit.accepts_variable = !no;
        } else if (name == "NVIDIA_RUNTIME_SET_AS_DEFAULT" || name == "CONTAINERD_SET_AS_DEFAULT") {
          toolkit.sets_default &= !no;
        }
      }
    }
  }
  return toolkit;
}

// Where agent.cardAccess is runtime our own agent takes its cards by the variable, and the remedies
// below would take them away from it.
std::string BeforeThat(const Observation& seen) {
  for (const json& set : *seen.daemon_sets) {
    if (TextAt(set, "/metadata/name") != "aliquot-agent" ||
        TextAt(set, "/metadata/namespace") != seen.namespace_name) {
      continue;
    }
    for (const json& container : MemberAt(set, "/spec/template/spec/containers")) {
      for (const json& each : MemberAt(container, "/env")) {
        if (TextAt(each, "/name") == "NVIDIA_VISIBLE_DEVICES" && TextAt(each, "/value") == "all") {
          return "first set the chart's agent.cardAccess to privileged, or our agent sees no card; "
                 "then ";
        }
      }
    }
  }
  return {};
}

// Nodes with cards of ours on which such a runtime is, or may be: a kubelet whose runtime is older
// than containerd 2.0 does not say.
struct Places {
  std::set<std::string> possible;
  std::vector<std::string> certain;
};

Places PlacesOf(const std::vector<SeenNode>& nodes) {
  Places places;
  for (const SeenNode& node : nodes) {
    if (!node.has_inventory) {
      continue;
    }
    const auto& handlers = node.runtime_handlers;
    const bool has = std::any_of(handlers.begin(), handlers.end(), IsNvidiaRuntime);
    if (has || handlers.empty()) {
      places.possible.insert(node.name);
    }
    if (has) {
      places.certain.push_back(node.name);
    }
  }
  return places;
}

std::set<std::string> ClassesOf(const std::vector<json>& runtime_classes) {
  std::set<std::string> names;
  for (const json& each : runtime_classes) {
    if (IsNvidiaRuntime(TextAt(each, "/handler"))) {
      names.insert(TextAt(each, "/metadata/name"));
    }
  }
  return names;
}

// Pods that see cards past the books, as far as the API server shows it.
std::vector<std::string> Exposed(const std::vector<LoosePod>& pods, const Places& places,
                                 const std::set<std::string>& classes, const Toolkit& toolkit) {
  const bool by_default = toolkit.runs && toolkit.sets_default;
  std::vector<std::string> exposed;
  for (const LoosePod& pod : pods) {
    const bool runs_by_it = pod.runtime_class.empty() ? by_default && pod.names_cards
                                                      : classes.count(pod.runtime_class) > 0;
    if (runs_by_it && places.possible.count(pod.node) > 0) {
      exposed.push_back(pod.name);
    }
  }
  return exposed;
}

Finding OfSettings(const Places& places, const std::set<std::string>& classes,
                   const Toolkit& toolkit, const std::string& first) {
  const std::string where = AtMostThree({places.possible.begin(), places.possible.end()});
  if (toolkit.runs && toolkit.sets_default) {
    return {kCheck, Verdict::kWarning,
            "the GPU Operator makes nvidia the default runtime: any pod on a node of ours (" +
                where +
                ") whose image or environment has NVIDIA_VISIBLE_DEVICES=all, as NVIDIA's images "
                "do, sees every card there, past books and limits",
            first + kByOperator};
  }
  if (!classes.empty()) {
    return {kCheck, Verdict::kWarning,
            "a pod that names RuntimeClass " + AtMostThree({classes.begin(), classes.end()}) +
                " and has NVIDIA_VISIBLE_DEVICES=all sees every card of its node (" + where +
                "), unless the toolkit's configuration there, which can't be seen from here, takes "
                "no cards from that variable",
            first + (toolkit.runs ? kByOperator : kByHand)};
  }
  if (!places.certain.empty()) {
    return {kCheck, Verdict::kWarning,
            "runtime nvidia is set up on " + AtMostThree(places.certain) +
                "; where it is the default one, which can't be seen from here, any pod whose image "
                "has NVIDIA_VISIBLE_DEVICES=all sees every card",
            "kubectl debug node/NODE -it --image=busybox --profile=sysadmin -- chroot /host "
            "crictl info shows defaultRuntimeName; if it is nvidia, " +
                first + kByHand};
  }
  return {kCheck, Verdict::kUnknown,
          "there is no RuntimeClass of NVIDIA's runtime and no toolkit of the GPU Operator, but "
          "the container runtime on " +
              where +
              " does not say which runtimes it has; crictl info on the node shows whether "
              "defaultRuntimeName is nvidia",
          ""};
}

}  // namespace

bool IsNvidiaRuntime(const std::string& handler) { return StartsWith(handler, "nvidia"); }

void CheckExposure(const Observation& seen, Findings& findings) {
  for (const Status& status :
       {seen.nodes.status(), seen.runtime_classes.status(), seen.daemon_sets.status()}) {
    if (!status.ok()) {
      findings.push_back({kCheck, Verdict::kUnknown, status.message(), ""});
      return;
    }
  }
  const Places places = PlacesOf(*seen.nodes);
  const Toolkit toolkit = ToolkitOf(*seen.daemon_sets);
  if (places.possible.empty()) {
    findings.push_back(
        {kCheck, Verdict::kOk, "no node with cards of ours has NVIDIA's container runtime", ""});
    return;
  }
  if (toolkit.runs && !toolkit.accepts_variable) {
    findings.push_back({kCheck, Verdict::kOk,
                        "NVIDIA's runtime takes no cards from the variable of an unprivileged pod",
                        ""});
    return;
  }
  const std::set<std::string> classes = ClassesOf(*seen.runtime_classes);
  const std::string first = BeforeThat(seen);
  if (seen.loose_pods.ok()) {
    const auto exposed = Exposed(*seen.loose_pods, places, classes, toolkit);
    if (!exposed.empty()) {
      findings.push_back({kCheck, Verdict::kFailed,
                          Counted(exposed.size(), "pod") +
                              " on nodes of ours run by NVIDIA's runtime without a card asked for, "
                              "free to see every card there, past books and limits: " +
                              AtMostThree(exposed),
                          first + (toolkit.runs ? kByOperator : kByHand)});
      return;
    }
  }
  findings.push_back(OfSettings(places, classes, toolkit, first));
}

}  // namespace aliquot::cli
