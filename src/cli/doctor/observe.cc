// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/observe.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/strings.h"
#include "cli/doctor/checks.h"
#include "cli/doctor/secret_data.h"
#include "kubeclient/verbs.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

constexpr std::chrono::milliseconds kProbeTimeout{4000};
constexpr char kSchedulerName[] = "aliquot-scheduler";

Objects ReadAll(ApiReader& reader, const kubeclient::ApiVerb& verb, const std::string& in,
                const std::string& label_selector = "") {
  std::vector<json> found;
  const Status status = reader.ForEach(verb, in, label_selector,
                                       [&found](const json& each) { found.push_back(each); });
  if (!status.ok()) {
    return status;
  }
  return found;
}

// Of each pod no more than is looked at: there is one agent a node.
Objects ReadPods(ApiReader& reader, const std::string& in, const std::string& label_selector = "") {
  std::vector<json> found;
  const Status status =
      reader.ForEach(kubeclient::kListPods, in, label_selector, [&found](const json& pod) {
        json kept = json::object();
        for (const char* pointer :
             {"/metadata/name", "/metadata/namespace", "/metadata/labels",
              "/metadata/deletionTimestamp", "/spec/nodeName", "/status/phase"}) {
          if (const json& value = MemberAt(pod, pointer); !value.is_null()) {
            kept[json::json_pointer(pointer)] = value;
          }
        }
        found.push_back(std::move(kept));
      });
  if (!status.ok()) {
    return status;
  }
  return found;
}

// Kubernetes' quantities of devices are whole numbers.
bool Positive(const json& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found != amounts.end() && found->is_string() &&
         std::strtoll(found->get<std::string>().c_str(), nullptr, 10) > 0;
}

SeenNode NodeOf(const json& node, const model::ResourceNames& names) {
  SeenNode seen;
  seen.name = TextAt(node, "/metadata/name");
  const json& annotations = MemberAt(node, "/metadata/annotations");
  seen.has_inventory = annotations.contains(std::string(model::kInventoryAnnotation));
  const json& amounts = MemberAt(node, "/status/allocatable");
  if (amounts.is_object()) {
    seen.advertises_ours = Positive(amounts, names.core);
    for (const auto& [name, amount] : amounts.items()) {
      const bool nvidia = StartsWith(name, "nvidia.com/gpu") || StartsWith(name, "nvidia.com/mig-");
      seen.advertises_nvidia |= nvidia && Positive(amounts, name);
      seen.advertises_volcano |= StartsWith(name, "volcano.sh/vgpu-") && Positive(amounts, name);
    }
  }
  seen.for_gpu_manager = TextAt(node, "/metadata/labels/nvidia-device-enable") == "enable";
  for (const json& handler : MemberAt(node, "/status/runtimeHandlers")) {
    seen.runtime_handlers.push_back(TextAt(handler, "/name"));
  }
  seen.operator_plugin = TextAt(node, "/metadata/labels/nvidia.com~1gpu.deploy.device-plugin");
  return seen;
}

SeenPod PodOf(const json& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  return {TextAt(pod, "/metadata/namespace"),
          TextAt(pod, "/metadata/name"),
          TextAt(pod, "/metadata/uid"),
          TextAt(pod, "/spec/nodeName"),
          TextAt(pod, "/spec/schedulerName"),
          phase == "Succeeded" || phase == "Failed",
          TextAt(pod, "/metadata/annotations/aliquot.io~1allocation"),
          TextAt(pod, "/metadata/annotations/aliquot.io~1allocation-signature")};
}

json PodToTry(const model::ResourceNames& names) {
  // Nothing in it that a strict namespace refuses.
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"generateName", "aliquot-doctor-"}}},
          {"spec",
           {{"restartPolicy", "Never"},
            {"securityContext",
             {{"runAsNonRoot", true},
              {"runAsUser", 65532},
              {"seccompProfile", {{"type", "RuntimeDefault"}}}}},
            {"containers",
             {{{"name", "tried"},
               {"image", "never-pulled"},
               {"securityContext",
                {{"allowPrivilegeEscalation", false}, {"capabilities", {{"drop", {"ALL"}}}}}},
               {"resources", {{"limits", {{names.core, "1"}, {names.memory, "1"}}}}}}}}}}};
}

void ReadOurs(ApiReader& reader, Observation& seen) {
  const std::string& in = seen.namespace_name;
  seen.allocator = reader.Get(kubeclient::kGetDeployment, in, "aliquot-allocator");
  seen.scheduler = reader.Get(kubeclient::kGetDeployment, in, kSchedulerName);
  seen.lease = reader.Get(kubeclient::kGetLease, in, kSchedulerName);
  seen.extender_service = reader.Get(kubeclient::kGetService, in, "aliquot-extender");
  seen.admission_service = reader.Get(kubeclient::kGetService, in, "aliquot-admission");
  seen.scheduler_secret = reader.Get(kubeclient::kGetSecret, in, "aliquot-scheduler-client");
  seen.signing_keys = reader.Get(kubeclient::kGetConfigMap, in, "aliquot-signing-keys");
  seen.own_pods = ReadPods(reader, in);
  seen.own_events = ReadAll(reader, kubeclient::kListEvents, in);
}

void ReadPods(ApiReader& reader, Observation& seen) {
  std::vector<SeenPod> pods;
  const std::string ours = std::string(model::kGpuLabel) + "=" + std::string(model::kGpuLabelValue);
  const Status read = reader.ForEach(kubeclient::kListPods, "", ours,
                                     [&pods](const json& pod) { pods.push_back(PodOf(pod)); });
  seen.gpu_pods = read.ok() ? Result<std::vector<SeenPod>>(std::move(pods)) : read;
  if (!seen.webhooks.ok()) {
    seen.unseen_gpu_pods = seen.webhooks.status();
    return;
  }
  std::vector<std::string> unseen;
  for (const std::string& in : ExcludedNamespaces(*seen.webhooks)) {
    const Status status = reader.ForEach(kubeclient::kListPods, in, "", [&](const json& pod) {
      if (AsksForPrefix(pod, seen.names.prefix)) {
        unseen.push_back(in + "/" + TextAt(pod, "/metadata/name"));
      }
    });
    if (!status.ok()) {
      seen.unseen_gpu_pods = status;
      return;
    }
  }
  seen.unseen_gpu_pods = std::move(unseen);
}

// Whether NVIDIA's runtime may be on a node with cards of ours, so that it is worth a list of all
// pods.
bool MayHaveNvidiaRuntime(const Observation& seen) {
  if (!seen.nodes.ok()) {
    return true;
  }
  return std::any_of(seen.nodes->begin(), seen.nodes->end(), [](const SeenNode& node) {
    const auto& handlers = node.runtime_handlers;
    return node.has_inventory &&
           (handlers.empty() || std::any_of(handlers.begin(), handlers.end(), IsNvidiaRuntime));
  });
}

void ReadLoosePods(ApiReader& reader, Observation& seen) {
  if (!MayHaveNvidiaRuntime(seen)) {
    return;
  }
  std::vector<LoosePod> pods;
  const std::string others =
      std::string(model::kGpuLabel) + "!=" + std::string(model::kGpuLabelValue);
  const Status read = reader.ForEach(kubeclient::kListPods, "", others, [&](const json& pod) {
    if (auto loose = LoosePodOf(pod, seen.names.prefix)) {
      pods.push_back(*std::move(loose));
    }
  });
  seen.loose_pods = read.ok() ? Result<std::vector<LoosePod>>(std::move(pods)) : read;
}

void ReadNeighbours(ApiReader& reader, Observation& seen) {
  seen.runtime_classes = ReadAll(reader, kubeclient::kListRuntimeClasses, "");
  seen.control_plane = ReadAll(reader, kubeclient::kListPods, "kube-system",
                               "component in (kube-apiserver,kube-scheduler)");
  seen.kai_pods = ReadPods(reader, "", "runai-gpu-group");
  ReadLoosePods(reader, seen);
}

void ReadNodes(ApiReader& reader, Observation& seen) {
  std::vector<SeenNode> nodes;
  const Status read = reader.ForEach(kubeclient::kListNodes, "", "", [&](const json& node) {
    nodes.push_back(NodeOf(node, seen.names));
  });
  seen.nodes = read.ok() ? Result<std::vector<SeenNode>>(std::move(nodes)) : read;
}

std::optional<ProbeOutcome> ProbeService(const Object& service, const std::string& authority,
                                         const std::string& certificate, const std::string& key,
                                         const std::string& in) {
  const std::string address = service.ok() ? TextAt(*service, "/spec/clusterIP") : "";
  if (address.empty() || address == "None" || authority.empty()) {
    return std::nullopt;
  }
  return Probe(
      {address, TextAt(*service, "/metadata/name") + "." + in + ".svc",
       static_cast<int>(NumberAt(*service, "/spec/ports/0/port")), authority, certificate, key},
      kProbeTimeout);
}

// The extender by kube-scheduler's own certificates, or, where they may not be read, by what the
// API server trusts: the allocator certifies both Services alike.
void ProbeServices(Observation& seen) {
  const std::string& in = seen.namespace_name;
  const json* ours = seen.webhooks.ok() ? OurWebhooks(*seen.webhooks, in) : nullptr;
  const std::string bundle = ours == nullptr ? "" : CaBundle(*ours);
  const json none;
  const json& secret = seen.scheduler_secret.ok() ? *seen.scheduler_secret : none;
  const std::string authority = secret.is_null() ? bundle : SecretText(secret, "ca.crt");
  seen.extender_probe =
      ProbeService(seen.extender_service, authority, SecretText(secret, "tls.crt"),
                   SecretText(secret, "tls.key"), in);
  seen.admission_probe = ProbeService(seen.admission_service, bundle, "", "", in);
}

}  // namespace

std::vector<std::string> ExcludedNamespaces(const std::vector<json>& webhooks) {
  std::set<std::string> names;
  const auto ours = std::find_if(webhooks.begin(), webhooks.end(), [](const json& each) {
    return TextAt(each, "/metadata/name") == "aliquot";
  });
  if (ours == webhooks.end()) {
    return {};
  }
  for (const json& webhook : MemberAt(*ours, "/webhooks")) {
    if (TextAt(webhook, "/name") != "mutate.admission.aliquot.io") {
      continue;
    }
    for (const json& rule : MemberAt(webhook, "/namespaceSelector/matchExpressions")) {
      if (TextAt(rule, "/key") == "kubernetes.io/metadata.name" &&
          TextAt(rule, "/operator") == "NotIn") {
        for (const json& name : MemberAt(rule, "/values")) {
          if (name.is_string()) {
            names.insert(name.get<std::string>());
          }
        }
      }
    }
  }
  return {names.begin(), names.end()};
}

bool AsksForPrefix(const json& pod, const std::string& prefix) {
  for (const char* list : {"/spec/containers", "/spec/initContainers"}) {
    for (const json& container : MemberAt(pod, list)) {
      for (const char* kind : {"/resources/limits", "/resources/requests"}) {
        for (const auto& [name, amount] : MemberAt(container, kind).items()) {
          if (StartsWith(name, prefix)) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

Observation Observe(ApiReader& reader, const Clock& clock, const ObserveOptions& options) {
  Observation seen;
  seen.namespace_name = options.namespace_name;
  seen.names = options.names;
  seen.now = clock.SystemNow();
  ReadOurs(reader, seen);
  seen.webhooks = ReadAll(reader, kubeclient::kListWebhooks, "");
  seen.policies = ReadAll(reader, kubeclient::kListPolicies, "");
  seen.bindings = ReadAll(reader, kubeclient::kListPolicyBindings, "");
  seen.daemon_sets = ReadAll(reader, kubeclient::kListDaemonSets, "");
  ReadNodes(reader, seen);
  ReadPods(reader, seen);
  ReadNeighbours(reader, seen);
  if (!options.try_in.empty()) {
    seen.tried_pod =
        reader.TryCreate(kubeclient::kCreatePod, options.try_in, PodToTry(options.names));
  }
  if (reader.clocks()) {
    seen.ahead = std::chrono::duration_cast<std::chrono::seconds>(reader.clocks()->ours -
                                                                  reader.clocks()->server);
  }
  ProbeServices(seen);
  return seen;
}

}  // namespace aliquot::cli
