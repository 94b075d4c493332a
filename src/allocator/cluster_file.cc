// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file.h"

#include "allocator/cluster_file_nodes.h"
#include "allocator/cluster_file_pods.h"
#include "allocator/map_reader.h"
#include "allocator/yaml_document.h"

namespace aliquot::allocator {
namespace {

void ReadNodes(MapReader& top, NodeTable& table) {
  top.MissingKey("nodeClasses");
  if (const YamlValue* classes = top.List("nodeClasses")) {
    if (classes->items.empty()) {
      top.Complain("nodeClasses", "is empty; describe at least one class of node");
    }
    const YamlPath path(top.path(), "nodeClasses");
    for (std::size_t i = 0; i < classes->items.size(); ++i) {
      table.AddClass(top.source(), classes->items[i], YamlPath(path, i));
    }
  }
  if (const YamlValue* nodes = top.List("nodes")) {
    const YamlPath path(top.path(), "nodes");
    for (std::size_t i = 0; i < nodes->items.size(); ++i) {
      table.AddEntry(top.source(), nodes->items[i], YamlPath(path, i));
    }
  }
}

std::optional<FileClusterState> ReadDocument(const YamlValue& document, const std::string& file,
                                             const model::ResourceNames& names,
                                             Problems& problems) {
  const std::size_t before = problems.count();
  YamlSource source{file, problems};
  const YamlPath root;
  MapReader top(source, document, root);
  for (const auto& [key, expected] :
       {std::pair{"apiVersion", "aliquot.io/v1alpha1"}, std::pair{"kind", "Cluster"}}) {
    top.MissingKey(key);
    top.Choice(key, "", {expected});
  }
  NodeTable table;
  ReadNodes(top, table);
  PodTable pods(table, names);
  if (const YamlValue* list = top.List("pods")) {
    const YamlPath path(root, "pods");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      pods.AddEntry(source, list->items[i], YamlPath(path, i));
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
                                                Problems& problems) {
  const auto document = ParseYaml(text, file, problems);
  return document ? ReadDocument(*document, file, names, problems) : std::nullopt;
}

std::optional<FileClusterState> LoadClusterFile(const std::string& file,
                                                const model::ResourceNames& names,
                                                Problems& problems) {
  const auto document = LoadYaml(file, kMaxClusterFileBytes, problems);
  return document ? ReadDocument(*document, file, names, problems) : std::nullopt;
}

}  // namespace aliquot::allocator
