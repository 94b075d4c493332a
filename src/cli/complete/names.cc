// SPDX-License-Identifier: Apache-2.0
#include "cli/complete/names.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/strings.h"
#include "cli/cluster_connection.h"
#include "cli/doctor/api_reader.h"
#include "cli/run_command.h"
#include "kubeclient/api_path.h"
#include "kubeclient/verbs.h"
#include "model/names.h"
#include "program/yaml_document.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using Names = CompletionQuestion::Names;

constexpr std::chrono::seconds kAtMost{2};
constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxFileBytes = std::size_t{4} << 20;

std::vector<std::string> KubeconfigFiles(const std::string& given) {
  if (!given.empty()) {
    return {given};
  }
  std::vector<std::string> files;
  const char* named = std::getenv("KUBECONFIG");
  const char* home = std::getenv("HOME");
  if (named != nullptr && *named != '\0') {
    for (const std::string_view file : Split(named, ':')) {
      files.emplace_back(file);
    }
  } else if (home != nullptr) {
    files.push_back(std::string(home) + "/.kube/config");
  }
  return files;
}

std::vector<std::string> Contexts(const std::string& kubeconfig) {
  std::vector<std::string> names;
  for (const std::string& file : KubeconfigFiles(kubeconfig)) {
    program::Problems unheard;
    const auto document = program::LoadYaml(file, kMaxFileBytes, unheard);
    const program::YamlValue* contexts = document ? document->Find("contexts") : nullptr;
    if (contexts == nullptr) {
      continue;
    }
    for (const program::YamlValue& each : contexts->items) {
      if (const program::YamlValue* name = each.Find("name")) {
        names.push_back(name->text);
      }
    }
  }
  return names;
}

// Page by page while there is time; what has come is given.
std::vector<std::string> List(kubeclient::Transport& transport, const Clock& clock,
                              kubeclient::ApiRequest request) {
  const SteadyTime end = clock.SteadyNow() + kAtMost;
  const std::string query = request.query;
  std::vector<std::string> names;
  std::string next;
  do {
    request.query = query + "&limit=500";
    if (!next.empty()) {
      request.query += "&continue=" + kubeclient::PercentEncode(next);
    }
    request.max_reply_bytes = kMaxReplyBytes;
    const auto result = transport.Call(request, end, nullptr);
    if (result.outcome != kubeclient::CallResult::Outcome::kReply || result.reply.status != 200) {
      break;
    }
    const json page = json::parse(result.reply.body, nullptr, /*allow_exceptions=*/false);
    for (const json& item : MemberAt(page, "/items")) {
      names.push_back(TextAt(item, "/metadata/name"));
    }
    next = TextAt(page, "/metadata/continue");
  } while (!next.empty());
  return names;
}

kubeclient::ApiRequest RequestFor(const CompletionQuestion& question,
                                  const std::string& of_context) {
  kubeclient::ApiRequest request;
  if (question.names == Names::kNamespaces) {
    request.verb = kubeclient::kListNamespaces;
    return request;
  }
  if (question.names == Names::kNodes) {
    request.verb = kubeclient::kListNodes;
    return request;
  }
  request.verb = kubeclient::kListPods;
  request.namespace_name = question.namespace_name.empty() ? of_context : question.namespace_name;
  if (question.names == Names::kGpuPods) {
    request.query =
        "labelSelector=" + kubeclient::PercentEncode(std::string(model::kGpuLabel) + "=" +
                                                     std::string(model::kGpuLabelValue));
  }
  return request;
}

// Nobody can answer a prompt, or log in, in the middle of a command line: no terminal is told of,
// and a plugin that waits is ended.
kubeclient::PluginHost HurriedPlugins() {
  kubeclient::PluginHost host;
  host.run = [](const kubeclient::CommandStart& asked) {
    kubeclient::CommandStart start = asked;
    start.time_limit = kAtMost;
    return RunCommand(start);
  };
  return host;
}

std::vector<std::string> OfCluster(const CompletionQuestion& question, const Clock& clock) {
  ClusterFlags flags;
  flags.kubeconfig = question.kubeconfig;
  flags.context = question.context;
  flags.in_cluster = question.in_cluster;
  const auto config = LoadClientConfig(flags);
  if (!config.ok()) {
    return {};
  }
  const auto transport = Connect(*config, clock, HurriedPlugins());
  return transport.ok() ? List(**transport, clock, RequestFor(question, config->namespace_name))
                        : std::vector<std::string>();
}

}  // namespace

std::vector<std::string> NamesFor(const CompletionQuestion& question, const Clock& clock) {
  if (question.names == Names::kNone) {
    return {};
  }
  std::vector<std::string> names = question.names == Names::kContexts
                                       ? Contexts(question.kubeconfig)
                                       : OfCluster(question, clock);
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&question](const std::string& name) {
                               return name.empty() || !StartsWith(name, question.typed);
                             }),
              names.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace aliquot::cli
