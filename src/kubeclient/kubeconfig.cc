// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/kubeconfig.h"

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/strings.h"
#include "kubeclient/base64.h"

namespace aliquot::kubeclient {

namespace {

constexpr std::size_t kMaxFileBytes = 1u << 20;  // a kubeconfig of many clusters has some 100 KB

// Thrown and caught in this file: a sentence about one field.
struct Refusal {
  std::string message;
};

std::string TextOf(const YAML::Node& map, const std::string& key, const std::string& where) {
  const YAML::Node value = map[key];
  if (!value || value.IsNull()) return {};
  if (!value.IsScalar()) throw Refusal{where + "." + key + " must be a string"};
  return value.Scalar();
}

// The entry of that name in one of the three lists, for example users[name=x].user.
YAML::Node Entry(const YAML::Node& root, const std::string& list, const std::string& kind,
                 const std::string& name) {
  const YAML::Node entries = root[list];
  if (entries && !entries.IsNull() && !entries.IsSequence())
    throw Refusal{list + " must be a list"};
  if (entries && entries.IsSequence()) {
    for (const YAML::Node& entry : entries) {
      if (!entry.IsMap()) throw Refusal{list + " must hold objects with a name"};
      if (TextOf(entry, "name", list) != name) continue;
      const YAML::Node found = entry[kind];
      if (!found || found.IsNull()) return YAML::Node(YAML::NodeType::Map);
      if (!found.IsMap()) throw Refusal{list + " \"" + Printable(name) + "\" must hold an object"};
      return found;
    }
  }
  throw Refusal{list + " has no entry named \"" + Printable(name) + "\""};
}

// "key" (a path) and "key-data" (base64) of one secret.
Secret FileOrData(const YAML::Node& map, const std::string& key, const std::string& where,
                  const std::filesystem::path& base) {
  Secret secret;
  const std::string data = TextOf(map, key + "-data", where);
  if (!data.empty()) {
    auto decoded = DecodeBase64(data);
    if (!decoded) throw Refusal{where + "." + key + "-data is not base64"};
    secret.data = std::move(*decoded);
    return secret;
  }
  const std::string path = TextOf(map, key, where);
  if (!path.empty()) secret.file = (base / path).lexically_normal().string();
  return secret;
}

void ReadCluster(const YAML::Node& cluster, const std::string& where,
                 const std::filesystem::path& base, ClientConfig& config) {
  if (Trim(TextOf(cluster, "insecure-skip-tls-verify", where)) == "true") {
    throw Refusal{
        where +
        ".insecure-skip-tls-verify is not supported: a server that is not verified can hand "
        "out any cluster state; set certificate-authority instead"};
  }
  if (!TextOf(cluster, "proxy-url", where).empty()) {
    throw Refusal{where +
                  ".proxy-url is not supported; name a server that can be reached directly"};
  }
  config.server = TextOf(cluster, "server", where);
  if (config.server.empty()) throw Refusal{where + ".server is missing"};
  while (config.server.size() > 1 && config.server.back() == '/') config.server.pop_back();
  config.tls_server_name = TextOf(cluster, "tls-server-name", where);
  config.certificate_authority = FileOrData(cluster, "certificate-authority", where, base);
}

void ReadUser(const YAML::Node& user, const std::string& where, const std::filesystem::path& base,
              ClientConfig& config) {
  for (const char* plugin : {"exec", "auth-provider"}) {
    if (user[plugin] && !user[plugin].IsNull()) {
      throw Refusal{where + "." + plugin +
                    " is not supported: credential plugins are made for people at a terminal; use "
                    "tokenFile or a client certificate"};
    }
  }
  for (const char* field : {"username", "password"}) {
    if (!TextOf(user, field, where).empty()) {
      throw Refusal{
          where + "." + field +
          " is not supported by any current API server; use tokenFile or a client certificate"};
    }
  }
  for (const char* field : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (user[field] && !user[field].IsNull()) {
      throw Refusal{where + "." + field +
                    " is not supported; give the user itself the rights it needs"};
    }
  }
  config.client_certificate = FileOrData(user, "client-certificate", where, base);
  config.client_key = FileOrData(user, "client-key", where, base);
  // kubectl: the file wins over the token beside it.
  const std::string token_file = TextOf(user, "tokenFile", where);
  if (!token_file.empty()) {
    config.token.file = (base / token_file).lexically_normal().string();
  } else {
    config.token.data = TextOf(user, "token", where);
  }
}

ClientConfig ReadDocument(const std::string& text, const std::string& wanted_context,
                          const std::filesystem::path& base) {
  const YAML::Node root = YAML::Load(text);
  if (!root.IsMap()) throw Refusal{"is not a kubeconfig: the top must be an object"};
  std::string name = wanted_context;
  if (name.empty()) name = TextOf(root, "current-context", "kubeconfig");
  if (name.empty()) throw Refusal{"current-context is not set; set it or name a context"};
  const YAML::Node context = Entry(root, "contexts", "context", name);
  const std::string context_where = "contexts \"" + Printable(name) + "\"";
  const std::string cluster = TextOf(context, "cluster", context_where);
  const std::string user = TextOf(context, "user", context_where);

  ClientConfig config;
  config.namespace_name = TextOf(context, "namespace", context_where);
  if (config.namespace_name.empty()) config.namespace_name = "default";
  ReadCluster(Entry(root, "clusters", "cluster", cluster),
              "clusters \"" + Printable(cluster) + "\"", base, config);
  if (!user.empty()) {
    ReadUser(Entry(root, "users", "user", user), "users \"" + Printable(user) + "\"", base, config);
  }
  return config;
}

}  // namespace

Result<ClientConfig> LoadKubeconfig(const std::string& path, const std::string& context) {
  const std::string shown = "kubeconfig " + Printable(path, 200);
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.eof() && !file.good()) return NotFound(shown + " cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return InvalidArgument(shown + " is over 1 MiB");
  try {
    const auto base = std::filesystem::absolute(path).parent_path();
    ClientConfig config = ReadDocument(text, context, base);
    if (Status status = CheckClientConfig(config); !status.ok()) return status.WithContext(shown);
    return config;
  } catch (const Refusal& refusal) {
    return InvalidArgument(shown + ": " + refusal.message);
  } catch (const YAML::Exception& error) {
    // yaml-cpp's own text may quote the file, which holds secrets: only the place is shown.
    return InvalidArgument(shown + ": line " + std::to_string(error.mark.line + 1) +
                           " is not valid YAML");
  } catch (const std::filesystem::filesystem_error&) {
    return NotFound(shown + " cannot be resolved to a path");
  }
}

}  // namespace aliquot::kubeclient
