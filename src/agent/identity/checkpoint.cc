// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/checkpoint.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "base/strings.h"

namespace aliquot::agent {
namespace {

using api::JsonElement;
using api::JsonField;
using api::JsonPath;
using api::JsonReader;

void ReadIds(JsonReader& reader, const JsonField& list, const JsonPath& path,
             std::vector<std::string>& ids) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    std::string_view id;
    reader.View(item, at, id);
    if (!id.empty()) ids.emplace_back(id);
  });
}

// {"-1":["c1"],"0":["c2"]} by NUMA node, or ["c1","c2"].
void ReadDeviceIds(JsonReader& reader, const JsonField& field, const JsonPath& path,
                   std::vector<std::string>& ids) {
  if (field && field->is_array()) {
    ReadIds(reader, field, path, ids);
  } else {
    reader.ForEachMember(field, path,
                         [&](std::string_view, const JsonElement& list, const JsonPath& at) {
                           ReadIds(reader, list, at, ids);
                         });
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

void ReadEntries(JsonReader& reader, const JsonField& list, const JsonPath& path,
                 std::string_view resource, Checkpoint& checkpoint) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    const auto fields =
        reader.Object<4>(item, at, {"ResourceName", "PodUID", "ContainerName", "DeviceIDs"});
    std::string_view name;
    reader.View(fields[0], at.Field("ResourceName"), name);
    if (name != resource) return;
    CheckpointEntry entry;
    reader.Text(fields[1], at.Field("PodUID"), entry.uid);
    reader.Text(fields[2], at.Field("ContainerName"), entry.container);
    if (entry.uid.empty()) reader.Refuse(at.Field("PodUID"), "is missing");
    if (entry.container.empty()) reader.Refuse(at.Field("ContainerName"), "is missing");
    ReadDeviceIds(reader, fields[3], at.Field("DeviceIDs"), entry.ids);
    if (!entry.ids.empty()) checkpoint.entries.push_back(std::move(entry));
  });
}

}  // namespace

std::vector<const CheckpointEntry*> Checkpoint::WithIds(const std::vector<std::string>& ids) const {
  std::vector<const CheckpointEntry*> found;
  for (const CheckpointEntry& entry : entries) {
    if (entry.ids == ids) found.push_back(&entry);
  }
  return found;
}

Result<Checkpoint> ParseCheckpoint(std::string_view json, std::string_view resource) {
  if (json.size() > kMaxCheckpointBytes) {
    return InvalidArgument("is larger than " + std::to_string(kMaxCheckpointBytes >> 20) +
                           " MiB; no kubelet writes one of that size");
  }
  api::JsonDocument document;
  const auto root = document.Parse(json, api::kMaxRequestDepth);
  if (!root.ok()) return root.status();
  JsonReader reader("its content");
  const JsonPath here;
  const auto [data, flat] = reader.Object<2>(*root, here, {"Data", "PodDeviceEntries"});
  Checkpoint checkpoint;
  if (data) {
    const JsonPath data_at = here.Field("Data");
    const auto [entries] = reader.Object<1>(data, data_at, {"PodDeviceEntries"});
    ReadEntries(reader, entries, data_at.Field("PodDeviceEntries"), resource, checkpoint);
  } else if (flat) {
    ReadEntries(reader, flat, here.Field("PodDeviceEntries"), resource, checkpoint);
  } else if (reader.ok()) {
    return InvalidArgument(
        "holds neither Data nor PodDeviceEntries; expected the kubelet's own file");
  }
  if (!reader.ok()) {
    return InvalidArgument("does not read as the kubelet's: " + reader.status().message());
  }
  return checkpoint;
}

}  // namespace aliquot::agent
