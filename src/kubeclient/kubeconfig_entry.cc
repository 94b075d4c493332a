// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/kubeconfig_entry.h"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "kubeclient/base64.h"

namespace aliquot::kubeclient {

namespace {

using Json = nlohmann::json;

constexpr const char* kPluginExtension = "client.authentication.k8s.io/exec";

bool Has(const YAML::Node& map, const char* key) { return map[key] && !map[key].IsNull(); }

// "key" (a path) and "key-data" (base64) of one secret.
Secret FileOrData(const KubeconfigEntry& entry, const std::string& key) {
  Secret secret;
  const std::string data = TextOf(entry.map, key + "-data", entry.where);
  if (!data.empty()) {
    auto decoded = DecodeBase64(data);
    if (!decoded) throw KubeconfigRefusal{entry.where + "." + key + "-data is not base64"};
    secret.data = std::move(*decoded);
    return secret;
  }
  const std::string path = TextOf(entry.map, key, entry.where);
  if (!path.empty()) secret.file = (entry.base / path).lexically_normal().string();
  return secret;
}

std::vector<std::string> ListOf(const YAML::Node& map, const char* key, const std::string& where) {
  std::vector<std::string> texts;
  if (!Has(map, key)) return texts;
  const YAML::Node list = map[key];
  if (!list.IsSequence()) throw KubeconfigRefusal{where + "." + key + " must be a list"};
  for (const YAML::Node& item : list) {
    if (!item.IsScalar()) throw KubeconfigRefusal{where + "." + key + " must hold strings"};
    texts.push_back(item.Scalar());
  }
  return texts;
}

// Recursion is as deep as yaml-cpp's own, which has built the tree.
Json JsonOf(const YAML::Node& node) {
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& item : node) list.push_back(JsonOf(item));
    return list;
  }
  if (node.IsMap()) {
    Json map = Json::object();
    for (const auto& member : node) map[member.first.Scalar()] = JsonOf(member.second);
    return map;
  }
  if (!node.IsScalar()) return nullptr;
  if (node.Tag() == "?") {  // written without quotes: perhaps a number or a word such as yes
    bool truth = false;
    if (YAML::convert<bool>::decode(node, truth)) return truth;
    if (Json number = Json::parse(node.Scalar(), nullptr, false); number.is_number()) return number;
  }
  return node.Scalar();
}

ExecPlugin::Interactive InteractiveOf(const std::string& text, const std::string& version,
                                      const std::string& where) {
  using Interactive = ExecPlugin::Interactive;
  if (text == "Never") return Interactive::kNever;
  if (text == "IfAvailable") return Interactive::kIfAvailable;
  if (text == "Always") return Interactive::kAlways;
  if (text.empty() && version == "client.authentication.k8s.io/v1beta1") {
    return Interactive::kIfAvailable;
  }
  throw KubeconfigRefusal{where + ".interactiveMode is \"" + Printable(text) +
                          "\"; use Never, IfAvailable or Always"};
}

ExecPlugin ReadPlugin(const YAML::Node& exec, const KubeconfigEntry& user) {
  ExecPlugin plugin;
  plugin.where = user.where + ".exec";
  if (!exec.IsMap()) throw KubeconfigRefusal{plugin.where + " must be an object"};
  plugin.command = TextOf(exec, "command", plugin.where);
  if (plugin.command.empty()) throw KubeconfigRefusal{plugin.where + ".command is missing"};
  if (plugin.command.find('/') != std::string::npos) {
    plugin.command = (user.base / plugin.command).lexically_normal().string();
  }
  plugin.api_version = TextOf(exec, "apiVersion", plugin.where);
  if (plugin.api_version != "client.authentication.k8s.io/v1" &&
      plugin.api_version != "client.authentication.k8s.io/v1beta1") {
    throw KubeconfigRefusal{plugin.where + ".apiVersion is \"" + Printable(plugin.api_version) +
                            "\"; use client.authentication.k8s.io/v1, or v1beta1 where the plugin "
                            "speaks no other"};
  }
  plugin.interactive = InteractiveOf(TextOf(exec, "interactiveMode", plugin.where),
                                     plugin.api_version, plugin.where);
  plugin.arguments = ListOf(exec, "args", plugin.where);
  plugin.install_hint = TextOf(exec, "installHint", plugin.where);
  plugin.provide_cluster_info =
      Has(exec, "provideClusterInfo") && JsonOf(exec["provideClusterInfo"]) == Json(true);
  if (!Has(exec, "env")) return plugin;
  if (!exec["env"].IsSequence()) throw KubeconfigRefusal{plugin.where + ".env must be a list"};
  for (const YAML::Node& variable : exec["env"]) {
    const std::string name =
        variable.IsMap() ? TextOf(variable, "name", plugin.where + ".env") : "";
    if (name.empty() || name.find('=') != std::string::npos) {
      throw KubeconfigRefusal{plugin.where + ".env must hold objects with name and value"};
    }
    plugin.environment.emplace_back(name, TextOf(variable, "value", plugin.where + ".env"));
  }
  return plugin;
}

Impersonation ReadImpersonation(const KubeconfigEntry& user) {
  Impersonation whom;
  whom.user = TextOf(user.map, "as", user.where);
  whom.uid = TextOf(user.map, "as-uid", user.where);
  whom.groups = ListOf(user.map, "as-groups", user.where);
  if (Has(user.map, "as-user-extra")) {
    const std::string where = user.where + ".as-user-extra";
    if (!user.map["as-user-extra"].IsMap()) throw KubeconfigRefusal{where + " must be an object"};
    for (const auto& member : user.map["as-user-extra"]) {
      const std::string key = member.first.Scalar();
      for (std::string& value : ListOf(user.map["as-user-extra"], key.c_str(), where)) {
        whom.extra.emplace_back(key, std::move(value));
      }
    }
  }
  if (whom.user.empty() && !(whom.uid.empty() && whom.groups.empty() && whom.extra.empty())) {
    throw KubeconfigRefusal{user.where +
                            ".as is missing, which as-uid, as-groups and as-user-extra need"};
  }
  return whom;
}

void RefuseWhatPersonsUse(const KubeconfigEntry& user) {
  if (Has(user.map, "exec")) {
    throw KubeconfigRefusal{
        user.where +
        ".exec is not supported: credential plugins are made for people at a terminal; use "
        "tokenFile or a client certificate"};
  }
  for (const char* field : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (Has(user.map, field)) {
      throw KubeconfigRefusal{user.where + "." + field +
                              " is not supported; give the user itself the rights it needs"};
    }
  }
}

void RefuseWhatNobodyUses(const KubeconfigEntry& user) {
  if (Has(user.map, "auth-provider")) {
    throw KubeconfigRefusal{
        user.where +
        ".auth-provider is not supported: credential plugins are made for people at a terminal; "
        "use tokenFile or a client certificate"};
  }
  for (const char* field : {"username", "password"}) {
    if (!TextOf(user.map, field, user.where).empty()) {
      throw KubeconfigRefusal{
          user.where + "." + field +
          " is not supported by any current API server; use tokenFile or a client certificate"};
    }
  }
}

}  // namespace

std::string TextOf(const YAML::Node& map, const std::string& key, const std::string& where) {
  const YAML::Node value = map[key];
  if (!value || value.IsNull()) return {};
  if (!value.IsScalar()) throw KubeconfigRefusal{where + "." + key + " must be a string"};
  return value.Scalar();
}

void ReadCluster(const KubeconfigEntry& cluster, bool for_person, ClientConfig& config) {
  const std::string& where = cluster.where;
  if (Trim(TextOf(cluster.map, "insecure-skip-tls-verify", where)) == "true") {
    throw KubeconfigRefusal{
        where +
        ".insecure-skip-tls-verify is not supported: a server that is not verified can hand "
        "out any cluster state; set certificate-authority instead"};
  }
  config.proxy_url = TextOf(cluster.map, "proxy-url", where);
  if (!config.proxy_url.empty() && !for_person) {
    throw KubeconfigRefusal{
        where + ".proxy-url is not supported; name a server that can be reached directly"};
  }
  config.server = TextOf(cluster.map, "server", where);
  if (config.server.empty()) throw KubeconfigRefusal{where + ".server is missing"};
  while (config.server.size() > 1 && config.server.back() == '/') config.server.pop_back();
  config.tls_server_name = TextOf(cluster.map, "tls-server-name", where);
  config.certificate_authority = FileOrData(cluster, "certificate-authority");
}

std::string PluginConfigOf(const KubeconfigEntry& cluster) {
  if (!Has(cluster.map, "extensions") || !cluster.map["extensions"].IsSequence()) return {};
  for (const YAML::Node& extension : cluster.map["extensions"]) {
    if (extension.IsMap() && TextOf(extension, "name", cluster.where) == kPluginExtension) {
      return JsonOf(extension["extension"]).dump(-1, ' ', false, Json::error_handler_t::replace);
    }
  }
  return {};
}

void ReadUser(const KubeconfigEntry& user, bool for_person, ClientConfig& config) {
  RefuseWhatNobodyUses(user);
  if (!for_person) RefuseWhatPersonsUse(user);
  config.client_certificate = FileOrData(user, "client-certificate");
  config.client_key = FileOrData(user, "client-key");
  if (config.client_certificate.empty() != config.client_key.empty()) {
    throw KubeconfigRefusal{user.where +
                            ": client-certificate and client-key must be given together"};
  }
  // kubectl: the file wins over the token beside it.
  const std::string token_file = TextOf(user.map, "tokenFile", user.where);
  if (!token_file.empty()) {
    config.token.file = (user.base / token_file).lexically_normal().string();
  } else {
    config.token.data = TextOf(user.map, "token", user.where);
  }
  config.impersonation = ReadImpersonation(user);
  // kubectl: a plugin is not asked for what is there.
  if (Has(user.map, "exec") && config.token.empty() && config.client_certificate.empty()) {
    config.exec = ReadPlugin(user.map["exec"], user);
  }
}

}  // namespace aliquot::kubeclient
