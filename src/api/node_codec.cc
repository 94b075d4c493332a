// SPDX-License-Identifier: Apache-2.0
#include "api/node_codec.h"

#include <utility>

#include "api/inventory_codec.h"
#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/quantity_reader.h"
#include "model/names.h"

namespace aliquot::api {
namespace {

// Nothing is known of a node that does not say both.
void ReadAllocatable(JsonReader& reader, const JsonField& status, const JsonPath& path,
                     model::Node& node) {
  const auto [allocatable] = reader.Object<1>(status, path, {"allocatable"});
  const HostFigures figures =
      ReadHostFigures(reader, allocatable, path.Field("allocatable"), model::Rounding::kDown);
  if (figures.cpu_milli && figures.memory_mib) {
    node.allocatable = figures.OrNothing();
  }
}

}  // namespace

Result<model::Node> DecodeNode(const JsonElement& value) {
  JsonReader reader("the node");
  const JsonPath root;
  model::Node node;
  const auto [metadata, spec, status] =
      reader.Object<3>(value, root, {"metadata", "spec", "status"});
  const JsonPath metadata_at = root.Field("metadata");
  const auto fields =
      reader.Object<4>(metadata, metadata_at, {"name", "uid", "resourceVersion", "annotations"});
  reader.Text(fields[0], metadata_at.Field("name"), node.name);
  reader.Text(fields[1], metadata_at.Field("uid"), node.uid);
  reader.Text(fields[2], metadata_at.Field("resourceVersion"), node.resource_version);
  const JsonPath annotations_at = metadata_at.Field("annotations");
  const auto [annotation] =
      reader.Object<1>(fields[3], annotations_at, {model::kInventoryAnnotation});
  std::string_view inventory_text;
  reader.View(annotation, annotations_at.Field(model::kInventoryAnnotation), inventory_text);
  const JsonPath spec_at = root.Field("spec");
  const auto [unschedulable] = reader.Object<1>(spec, spec_at, {"unschedulable"});
  reader.Bool(unschedulable, spec_at.Field("unschedulable"), node.unschedulable);
  ReadAllocatable(reader, status, root.Field("status"), node);
  if (!reader.ok()) {
    return reader.status();
  }
  if (annotation) {
    Result<model::Inventory> inventory = ParseInventory(inventory_text);
    if (inventory.ok()) {
      node.inventory = std::make_shared<const model::Inventory>(*std::move(inventory));
    } else {
      node.inventory_problem = inventory.status().message();
    }
  }
  return node;
}

Result<model::Node> ParseNode(std::string_view json) {
  JsonDocument document;
  const auto root = document.Parse(json, kMaxRequestDepth);
  if (!root.ok()) {
    return InvalidArgument("the node " + root.status().message());
  }
  return DecodeNode(*root);
}

}  // namespace aliquot::api
