// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_view.h"

#include <algorithm>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/quantity_reader.h"
#include "base/strings.h"
#include "model/names.h"
#include "model/quantity.h"

namespace aliquot::agent {
namespace {

using api::JsonElement;
using api::JsonField;
using api::JsonPath;
using api::JsonReader;

using Counts = std::map<std::string, std::int64_t, std::less<>>;

// A node has a few dozen resources; more than this is not for us to keep.
constexpr std::size_t kMaxResources = 256;

// What the kubelet puts in the version's place while the runtime does not answer it.
constexpr std::string_view kNoAnswer = "://Unknown";

void ReadCounts(JsonReader& reader, const JsonField& map, const JsonPath& path, Counts& counts) {
  reader.ForEachMember(
      map, path, [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
        if (key.find('/') == std::string_view::npos || counts.size() == kMaxResources) {
          return;
        }
        std::string text;
        api::ReadQuantity(reader, value, at, text);
        // Extended resources are whole numbers, but may be written "16k".
        counts[std::string(key)] = model::CpuMilli(text, model::Rounding::kDown).value_or(0) / 1000;
      });
}

void ReadMetadata(JsonReader& reader, const JsonField& metadata, const JsonPath& path,
                  NodeView& node) {
  const auto fields =
      reader.Object<5>(metadata, path, {"name", "uid", "resourceVersion", "annotations", "labels"});
  reader.Text(fields[0], path.Field("name"), node.name);
  reader.Text(fields[1], path.Field("uid"), node.uid);
  reader.Text(fields[2], path.Field("resourceVersion"), node.resource_version);
  const JsonPath annotations_at = path.Field("annotations");
  const auto [inventory, gpu_labels] = reader.Object<2>(
      fields[3], annotations_at, {model::kInventoryAnnotation, model::kGpuLabelsAnnotation});
  reader.Text(inventory, annotations_at.Field(model::kInventoryAnnotation), node.inventory);
  reader.Text(gpu_labels, annotations_at.Field(model::kGpuLabelsAnnotation), node.gpu_labels);
  reader.ForEachMember(fields[4], path.Field("labels"),
                       [&](std::string_view key, const JsonElement& value, const JsonPath& at) {
                         if (IsWatchedLabel(key)) {
                           reader.Text(value, at, node.labels[std::string(key)]);
                         }
                       });
  if (reader.ok() && node.name.empty()) {
    reader.Refuse(path.Field("name"), "is missing; expected a Node of the API server");
  }
}

void ReadSpec(JsonReader& reader, const JsonField& spec, const JsonPath& path, NodeView& node) {
  const auto [unschedulable, taints] = reader.Object<2>(spec, path, {"unschedulable", "taints"});
  reader.Bool(unschedulable, path.Field("unschedulable"), node.unschedulable);
  reader.ForEachItem(taints, path.Field("taints"),
                     [&](const JsonElement& item, const JsonPath& at) {
                       NodeTaint& taint = node.taints.emplace_back();
                       const auto [key, effect] = reader.Object<2>(item, at, {"key", "effect"});
                       reader.Text(key, at.Field("key"), taint.key);
                       reader.Text(effect, at.Field("effect"), taint.effect);
                     });
}

void ReadStatus(JsonReader& reader, const JsonField& status, const JsonPath& path, NodeView& node) {
  const auto [capacity, allocatable, info] =
      reader.Object<3>(status, path, {"capacity", "allocatable", "nodeInfo"});
  ReadCounts(reader, capacity, path.Field("capacity"), node.capacity);
  ReadCounts(reader, allocatable, path.Field("allocatable"), node.allocatable);
  const JsonPath info_at = path.Field("nodeInfo");
  const auto [runtime, kubelet] =
      reader.Object<2>(info, info_at, {"containerRuntimeVersion", "kubeletVersion"});
  reader.Text(runtime, info_at.Field("containerRuntimeVersion"), node.container_runtime);
  reader.Text(kubelet, info_at.Field("kubeletVersion"), node.kubelet);
  const std::string& told = node.container_runtime;
  if (told.size() >= kNoAnswer.size() &&
      told.compare(told.size() - kNoAnswer.size(), kNoAnswer.size(), kNoAnswer) == 0) {
    node.container_runtime.clear();
  }
}

std::int64_t CountOf(const Counts& counts, std::string_view resource) {
  const auto at = counts.find(resource);
  return at == counts.end() ? 0 : at->second;
}

}  // namespace

bool IsWatchedLabel(std::string_view key) {
  return StartsWith(key, "nvidia.com/") || key == "nvidia-device-enable";
}

std::string_view NodeView::Label(std::string_view key) const {
  const auto at = labels.find(key);
  return at == labels.end() ? std::string_view() : std::string_view(at->second);
}

std::int64_t NodeView::Advertised(std::string_view resource) const {
  return std::max(CountOf(capacity, resource), CountOf(allocatable, resource));
}

Result<NodeView> DecodeNodeView(const JsonElement& value) {
  JsonReader reader("the node");
  const JsonPath root;
  NodeView node;
  const auto [metadata, spec, status] =
      reader.Object<3>(value, root, {"metadata", "spec", "status"});
  ReadMetadata(reader, metadata, root.Field("metadata"), node);
  ReadSpec(reader, spec, root.Field("spec"), node);
  ReadStatus(reader, status, root.Field("status"), node);
  if (!reader.ok()) {
    return reader.status();
  }
  return node;
}

Result<NodeView> ParseNodeView(std::string_view json) {
  api::JsonDocument document;
  const auto root = document.Parse(json, api::kMaxApiServerDepth);
  if (!root.ok()) {
    return InvalidArgument("the node " + root.status().message());
  }
  return DecodeNodeView(*root);
}

}  // namespace aliquot::agent
