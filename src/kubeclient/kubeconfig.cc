// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"
#include "kubeclient/kubeconfig_entry.h"

namespace aliquot::kubeclient {

namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;  // a kubeconfig of many clusters has some 100 KB

struct File {
  std::string shown;
  std::filesystem::path base;
  YAML::Node root;
};

Result<YAML::Node> Parse(const std::string& text, const std::string& shown) {
  try {
    YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return YAML::Node(YAML::NodeType::Map);  // an empty file
    if (!root.IsMap()) {
      return InvalidArgument(shown + ": is not a kubeconfig: the top must be an object");
    }
    return root;
  } catch (const YAML::Exception& error) {
    // yaml-cpp's own text may quote the file, which holds secrets: only the place is shown.
    return InvalidArgument(shown + ": line " + std::to_string(error.mark.line + 1) +
                           " is not valid YAML");
  }
}

Result<File> ReadFile(const std::string& path) {
  File made;
  made.shown = "kubeconfig " + Printable(path, 200);
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file.good()) return NotFound(made.shown + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return InvalidArgument(made.shown + " is over 1 MiB");
  std::error_code error;
  made.base = std::filesystem::absolute(path, error).parent_path();
  if (error) return NotFound(made.shown + " cannot be resolved to a path");
  Result<YAML::Node> root = Parse(text, made.shown);
  if (!root.ok()) return root.status();
  made.root = *root;
  return made;
}

std::string ShownAll(const std::vector<File>& files) {
  std::string shown = files.front().shown;
  for (std::size_t i = 1; i < files.size(); ++i) {
    shown += (i + 1 < files.size() ? ", " : " and ") + files[i].shown;
  }
  return shown;
}

// The first entry of that name in one of the three lists, for example users[name=x].user.
KubeconfigEntry Find(const std::vector<File>& files, const std::string& list,
                     const std::string& kind, const std::string& name) {
  for (const File& file : files) {
    const YAML::Node entries = file.root[list];
    if (!entries || entries.IsNull()) continue;
    const std::string where = file.shown + ": " + list;
    if (!entries.IsSequence()) throw KubeconfigRefusal{where + " must be a list"};
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap()) throw KubeconfigRefusal{where + " must hold objects with a name"};
      if (TextOf(entry, "name", where) != name) continue;
      const std::string found = where + " \"" + Printable(name) + "\"";
      const YAML::Node map = entry[kind];
      if (!map || map.IsNull()) {
        return {YAML::Node(YAML::NodeType::Map), found, file.shown, file.base};
      }
      if (!map.IsMap()) throw KubeconfigRefusal{found + " must hold an object"};
      return {map, found, file.shown, file.base};
    }
  }
  throw KubeconfigRefusal{ShownAll(files) + ": " + list + " has no entry named \"" +
                          Printable(name) + "\""};
}

std::string CurrentContext(const std::vector<File>& files) {
  for (const File& file : files) {
    std::string name = TextOf(file.root, "current-context", file.shown);
    if (!name.empty()) return name;
  }
  throw KubeconfigRefusal{ShownAll(files) +
                          ": current-context is not set; set it or name a context"};
}

Result<ClientConfig> ReadContext(const std::vector<File>& files, const KubeconfigOptions& options) {
  const std::string name = options.context.empty() ? CurrentContext(files) : options.context;
  const KubeconfigEntry context = Find(files, "contexts", "context", name);
  ClientConfig config;
  config.namespace_name = TextOf(context.map, "namespace", context.where);
  if (config.namespace_name.empty()) config.namespace_name = "default";
  const KubeconfigEntry cluster =
      Find(files, "clusters", "cluster", TextOf(context.map, "cluster", context.where));
  ReadCluster(cluster, options.for_person, config);
  const std::string user = TextOf(context.map, "user", context.where);
  if (!user.empty()) {
    ReadUser(Find(files, "users", "user", user), options.for_person, config);
  }
  if (config.exec) config.exec->cluster_config = PluginConfigOf(cluster);
  if (Status status = CheckClientConfig(config); !status.ok()) {
    return status.WithContext(cluster.file);  // what is left to judge stands in the cluster's entry
  }
  return config;
}

Result<ClientConfig> ReadFiles(const std::vector<std::string>& paths,
                               const KubeconfigOptions& options) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    Result<File> file = ReadFile(path);
    if (!file.ok()) return file.status();
    files.push_back(*std::move(file));
  }
  try {
    return ReadContext(files, options);
  } catch (const KubeconfigRefusal& refusal) {
    return InvalidArgument(refusal.message);
  } catch (const YAML::Exception&) {
    // Of a value of another kind than any that is asked for above.
    return InvalidArgument(ShownAll(files) + ": is not a kubeconfig");
  }
}

}  // namespace

Result<ClientConfig> LoadKubeconfig(const std::string& path, const KubeconfigOptions& options) {
  return ReadFiles({path}, options);
}

Result<ClientConfig> LoadKubeconfigs(const std::vector<std::string>& paths,
                                     const KubeconfigOptions& options) {
  std::vector<std::string> present;
  for (const std::string& path : paths) {
    std::error_code error;
    if (std::filesystem::status(path, error).type() != std::filesystem::file_type::not_found) {
      present.push_back(path);
    }
  }
  if (!present.empty()) return ReadFiles(present, options);
  if (paths.size() == 1)
    return NotFound("kubeconfig " + Printable(paths[0], 200) + " is not there");
  return NotFound("none of the kubeconfigs " + Printable(Join(paths, ", "), 1000) + " is there");
}

}  // namespace aliquot::kubeclient
