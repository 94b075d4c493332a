// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file.h"

#include "allocator/cluster_file_nodes.h"
#include "allocator/cluster_file_pods.h"
#include "program/map_reader.h"
#include "program/yaml_document.h"

namespace aliquot::allocator {
namespace {

void ReadNodes(program::MapReader& top, NodeTable& table) {
  top.MissingKey("nodeClasses");
  if (const program::YamlValue* classes = top.List("nodeClasses")) {
    if (classes->items.empty()) {
      top.Complain("nodeClasses", "is empty; describe at least one class of node");
    }
    const program::YamlPath path(top.path(), "nodeClasses");
    for (std::size_t i = 0; i < classes->items.size(); ++i) {
      table.AddClass(top.source(), classes->items[i], program::YamlPath(path, i));
    }
  }
  if (const program::YamlValue* nodes = top.List("nodes")) {
    const program::YamlPath path(top.path(), "nodes");
    for (std::size_t i = 0; i < nodes->items.size(); ++i) {
      table.AddEntry(top.source(), nodes->items[i], program::YamlPath(path, i));
    }
  }
}

std::optional<FileClusterState> ReadDocument(const program::YamlValue& document,
                                             const std::string& file,
                                             const model::ResourceNames& names,
                                             program::Problems& problems) {
  const std::size_t before = problems.count();
  program::YamlSource source{file, problems};
  const program::YamlPath root;
  program::MapReader top(source, document, root);
  for (const auto& [key, expected] :
       {std::pair{"apiVersion", "aliquot.io/v1alpha1"}, std::pair{"kind", "Cluster"}}) {
    top.MissingKey(key);
    top.Choice(key, "", {expected});
  }
  NodeTable table;
  ReadNodes(top, table);
  PodTable pods(table, names);
  if (const program::YamlValue* list = top.List("pods")) {
    const program::YamlPath path(root, "pods");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      pods.AddEntry(source, list->items[i], program::YamlPath(path, i));
    }
  }
  top.RefuseUnknownKeys();
  if (problems.count() != before) {
    return std::nullopt;
  }
  FileClusterState state;
  state.nodes = table.TakeNodes();
  state.pods = pods.TakePods();
  return state;
}

}  // namespace

std::optional<FileClusterState> ReadClusterFile(std::string_view text, const std::string& file,
                                                const model::ResourceNames& names,
                                                program::Problems& problems) {
  const auto document = program::ParseYaml(text, file, problems);
  return document ? ReadDocument(*document, file, names, problems) : std::nullopt;
}

std::optional<FileClusterState> LoadClusterFile(const std::string& file,
                                                const model::ResourceNames& names,
                                                program::Problems& problems) {
  const auto document = program::LoadYaml(file, kMaxClusterFileBytes, problems);
  return document ? ReadDocument(*document, file, names, problems) : std::nullopt;
}

}  // namespace aliquot::allocator
