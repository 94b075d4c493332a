// SPDX-License-Identifier: Apache-2.0
#include "api/pod_codec.h"

#include <limits>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/quantity_reader.h"
#include "base/strings.h"
#include "model/host_peak.h"

namespace aliquot::api {
namespace {

// Two names are of use and any other is refused (model/demand.h), so the rest of a longer list
// changes nothing; keeping each apart from the others would take time by the square of their
// number.
constexpr std::size_t kMaxKeptQuantities = 16;
constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

void ReadQuantities(JsonReader& reader, const JsonField& list, const JsonPath& path,
                    const model::ResourceNames& names,
                    std::vector<model::NamedQuantity>& quantities) {
  reader.ForEachMember(list, path,
                       [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
                         if (!StartsWith(key, names.prefix)) {
                           return;
                         }
                         for (model::NamedQuantity& known : quantities) {
                           if (known.resource == key) {
                             ReadQuantity(reader, value, at, known.text);
                             return;
                           }
                         }
                         if (quantities.size() == kMaxKeptQuantities) {
                           return;
                         }
                         quantities.push_back({std::string(key), {}});
                         ReadQuantity(reader, value, at, quantities.back().text);
                       });
}

// One list of containers; `init` tells spec.initContainers. The API server sets a request that is
// left out to the limit; a manifest from elsewhere may not have been there.
void ReadContainers(JsonReader& reader, const JsonField& list, const JsonPath& path, bool init,
                    const model::ResourceNames& names, model::Pod& pod, model::HostPeak& host) {
  int index = 0;
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    const auto [name, resources, restart] =
        reader.Object<3>(item, at, {"name", "resources", "restartPolicy"});
    const JsonPath resources_at = at.Field("resources");
    const auto [limits, requests] =
        reader.Object<2>(resources, resources_at, {"limits", "requests"});
    model::GpuContainer container;
    container.index = index++;
    if (init) {
      std::string_view policy;
      reader.View(restart, at.Field("restartPolicy"), policy);
      container.kind =
          policy == "Always" ? model::ContainerKind::kSidecar : model::ContainerKind::kInit;
    }
    const JsonPath requests_at = resources_at.Field("requests");
    const JsonPath limits_at = resources_at.Field("limits");
    host.Add(container.kind,
             ReadHostFigures(reader, requests, requests_at, model::Rounding::kUp)
                 .Or(ReadHostFigures(reader, limits, limits_at, model::Rounding::kUp))
                 .OrNothing());
    ReadQuantities(reader, requests, requests_at, names, container.quantities);
    ReadQuantities(reader, limits, limits_at, names, container.quantities);
    if (container.quantities.empty()) {
      return;
    }
    reader.Text(name, at.Field("name"), container.name);
    pod.gpu_containers.push_back(std::move(container));
  });
}

// Kubernetes' own rule (k8s.io/api/core/v1 Toleration.ToleratesTaint) for the taint of a cordoned
// node, which has no value: an empty effect or key matches any.
bool ToleratesCordon(std::string_view key, std::string_view op, std::string_view value,
                     std::string_view effect) {
  if (!effect.empty() && effect != "NoSchedule") {
    return false;
  }
  if (!key.empty() && key != kCordonTaint) {
    return false;
  }
  return op == "Exists" || ((op.empty() || op == "Equal") && value.empty());
}

void ReadTolerations(JsonReader& reader, const JsonField& list, const JsonPath& path,
                     model::Pod& pod) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    const auto fields = reader.Object<4>(item, at, {"key", "operator", "value", "effect"});
    std::string_view key, op, value, effect;
    reader.View(fields[0], at.Field("key"), key);
    reader.View(fields[1], at.Field("operator"), op);
    reader.View(fields[2], at.Field("value"), value);
    reader.View(fields[3], at.Field("effect"), effect);
    if (ToleratesCordon(key, op, value, effect)) {
      pod.tolerates_cordon = true;
    }
  });
}

void ReadMetadata(JsonReader& reader, const JsonField& metadata, const JsonPath& path,
                  model::Pod& pod) {
  const auto fields =
      reader.Object<8>(metadata, path,
                       {"name", "namespace", "uid", "resourceVersion", "deletionTimestamp",
                        "labels", "annotations", "creationTimestamp"});
  reader.Text(fields[0], path.Field("name"), pod.key.name);
  reader.Text(fields[1], path.Field("namespace"), pod.key.namespace_name);
  reader.Text(fields[2], path.Field("uid"), pod.uid);
  reader.Text(fields[3], path.Field("resourceVersion"), pod.resource_version);
  reader.Text(fields[7], path.Field("creationTimestamp"), pod.created);
  std::string_view deleted_at;
  reader.View(fields[4], path.Field("deletionTimestamp"), deleted_at);
  pod.deleting = !deleted_at.empty();
  reader.ForEachMember(fields[5], path.Field("labels"),
                       [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
                         std::string_view label;
                         reader.View(value, at, label);
                         pod.labels.Add(key, label);
                         if (key == model::kGpuLabel) {
                           pod.has_gpu_label = label == model::kGpuLabelValue;
                         }
                       });
  reader.ForEachMember(
      fields[6], path.Field("annotations"),
      [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
        if (StartsWith(key, model::kOurDomain) || StartsWith(key, model::kTencentDomain)) {
          reader.Text(value, at, pod.annotations[std::string(key)]);
        }
      });
}

model::PodPhase PhaseOf(std::string_view phase) {
  if (phase.empty() || phase == "Pending") {
    return model::PodPhase::kPending;
  }
  if (phase == "Running") {
    return model::PodPhase::kRunning;
  }
  if (phase == "Succeeded") {
    return model::PodPhase::kSucceeded;
  }
  return phase == "Failed" ? model::PodPhase::kFailed : model::PodPhase::kUnknown;
}

// Requests that the pod makes as a whole hold instead of those of its containers.
void ReadHost(JsonReader& reader, const JsonField& resources, const JsonField& overhead,
              const JsonPath& path, const model::HostAmount& of_containers, model::Pod& pod) {
  const JsonPath resources_at = path.Field("resources");
  const auto [requests] = reader.Object<1>(resources, resources_at, {"requests"});
  const HostFigures of_pod =
      ReadHostFigures(reader, requests, resources_at.Field("requests"), model::Rounding::kUp);
  pod.host = of_pod.Or({of_containers.cpu_milli, of_containers.memory_mib}).OrNothing();
  pod.host +=
      ReadHostFigures(reader, overhead, path.Field("overhead"), model::Rounding::kUp).OrNothing();
}

void ReadSpec(JsonReader& reader, const JsonField& spec, const JsonPath& path,
              const model::ResourceNames& names, model::Pod& pod) {
  const auto fields = reader.Object<8>(spec, path,
                                       {"nodeName", "schedulerName", "priority", "tolerations",
                                        "initContainers", "containers", "resources", "overhead"});
  reader.Text(fields[0], path.Field("nodeName"), pod.node_name);
  reader.Text(fields[1], path.Field("schedulerName"), pod.scheduler_name);
  reader.Integer(fields[2], path.Field("priority"), std::numeric_limits<std::int32_t>::min(),
                 std::numeric_limits<std::int32_t>::max(), pod.priority);
  ReadTolerations(reader, fields[3], path.Field("tolerations"), pod);
  model::HostPeak host;
  ReadContainers(reader, fields[4], path.Field("initContainers"), true, names, pod, host);
  ReadContainers(reader, fields[5], path.Field("containers"), false, names, pod, host);
  ReadHost(reader, fields[6], fields[7], path, host.total(), pod);
}

}  // namespace

Result<model::Pod> DecodePod(const JsonElement& value, const model::ResourceNames& names) {
  JsonReader reader("the pod");
  const JsonPath root;
  model::Pod pod;
  const auto [metadata, spec, status] =
      reader.Object<3>(value, root, {"metadata", "spec", "status"});
  ReadMetadata(reader, metadata, root.Field("metadata"), pod);
  ReadSpec(reader, spec, root.Field("spec"), names, pod);
  const JsonPath status_at = root.Field("status");
  const auto [phase, nominated] =
      reader.Object<2>(status, status_at, {"phase", "nominatedNodeName"});
  std::string_view phase_text;
  reader.View(phase, status_at.Field("phase"), phase_text);
  reader.Text(nominated, status_at.Field("nominatedNodeName"), pod.nominated_node);
  pod.phase = PhaseOf(phase_text);
  if (!reader.ok()) {
    return reader.status();
  }
  return pod;
}

Result<model::Pod> ParsePod(std::string_view json, const model::ResourceNames& names) {
  JsonDocument document;
  const auto root = document.Parse(json, kMaxRequestDepth);
  if (!root.ok()) {
    return InvalidArgument("the pod " + root.status().message());
  }
  return DecodePod(*root, names);
}

}  // namespace aliquot::api
