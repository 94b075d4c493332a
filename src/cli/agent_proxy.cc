// SPDX-License-Identifier: Apache-2.0
#include "cli/agent_proxy.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "api/status_codec.h"
#include "api/token_request_codec.h"
#include "base/strings.h"
#include "kubeclient/api_path.h"

namespace aliquot::cli {
namespace {

using Json = nlohmann::json;
using kubeclient::ApiRequest;
using kubeclient::CallResult;

constexpr std::chrono::seconds kTimeout{30};
constexpr int kDefaultPort = 8443;
constexpr std::size_t kShown = 300;
constexpr std::size_t kMaxListBytes = std::size_t{64} << 20;
constexpr char kAudience[] = "aliquot-agent";
constexpr char kTokenHeader[] = "X-Aliquot-Token";
constexpr char kAgentLabels[] =
    "app.kubernetes.io/component=agent,app.kubernetes.io/name=aliquot-agent";
constexpr char kGivenBy[] = "; the chart's agent.verifiers gives it";

// The message of an error of the API server itself; nothing when the reply is somebody else's.
std::optional<std::string> StatusMessage(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (!json.is_object() || json.value("kind", Json()) != "Status") {
    return std::nullopt;
  }
  const auto status = api::ParseApiStatus(body);
  return status.ok() ? Printable(status->message, kShown) : "";
}

std::string Remedy(int status, const std::string& right) {
  switch (status) {
    case 401:
      return "the kubeconfig's credentials are not accepted";
    case 403:
      return "the kubeconfig's user needs the right to " + right;
    default:
      return "is the server well?";
  }
}

StatusCode CodeFor(int status) {
  switch (status) {
    case 401:
      return StatusCode::kUnauthenticated;
    case 403:
      return StatusCode::kPermissionDenied;
    case 404:
      return StatusCode::kNotFound;
    default:
      return StatusCode::kUnavailable;
  }
}

int PortOf(const Json& pod) {
  for (const Json& container : pod.value("/spec/containers"_json_pointer, Json::array())) {
    for (const Json& port : container.value("ports", Json::array())) {
      if (port.value("name", "") == "authenticated") {
        return port.value("containerPort", 0);
      }
    }
  }
  return 0;
}

}  // namespace

void AddAgentFlags(CLI::App& verb, AgentAccess& access) {
  verb.add_option("--agent-namespace", access.namespace_name, "where the agents run")
      ->type_name("NS")
      ->capture_default_str();
  verb.add_option("--account", access.account, "service account that may read the page")
      ->type_name("NAME")
      ->capture_default_str();
  verb.add_option("--port", access.port, "of the agents (their port named authenticated, or 8443)")
      ->check(CLI::Range(1, 65535))
      ->type_name("N");
}

Result<AgentPodPage> ParseAgentPods(std::string_view text) {
  AgentPodPage page;
  try {
    const Json list = Json::parse(text);
    for (const Json& pod : list.at("items")) {
      if (pod.at("metadata").contains("deletionTimestamp")) {
        continue;
      }
      page.pods.push_back({pod.at("metadata").at("name").get<std::string>(),
                           pod.value("/spec/nodeName"_json_pointer, ""), PortOf(pod),
                           pod.value("/status/phase"_json_pointer, "") == "Running"});
    }
    page.next = list.value("/metadata/continue"_json_pointer, "");
  } catch (const Json::exception&) {
    return InvalidArgument("the list of the agents' pods is not readable");
  }
  return page;
}

Result<AgentPod> RunningAgent(const std::vector<AgentPod>& pods, const std::string& node,
                              const AgentAccess& access) {
  const auto running =
      std::find_if(pods.begin(), pods.end(), [](const AgentPod& pod) { return pod.running; });
  if (running != pods.end()) {
    AgentPod found = *running;
    found.node = node;
    return found;
  }
  return NotFound((pods.empty() ? "there is no aliquot-agent on node " + node + " in namespace " +
                                      access.namespace_name
                                : "aliquot-agent does not run on node " + node) +
                  "; see to its pod, or name the agents' namespace with --agent-namespace");
}

Result<std::string> AgentProxy::Ask(const ApiRequest& request, const std::string& doing,
                                    const std::string& right) {
  CallResult result = transport_.Call(request, clock_.SteadyNow() + kTimeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable(doing + " failed: " + result.message);
  }
  const int status = result.reply.status;
  if (status == 200 || status == 201) {
    return std::move(result.reply.body);
  }
  return Status(CodeFor(status), doing + " was answered with HTTP " + std::to_string(status) +
                                     "; " + Remedy(status, right));
}

Result<std::vector<AgentPod>> AgentProxy::Agents(const std::string& node) {
  std::vector<AgentPod> agents;
  std::string next;
  do {
    ApiRequest request;
    request.verb = kubeclient::kListPods;
    request.namespace_name = access_.namespace_name;
    request.max_reply_bytes = kMaxListBytes;
    request.query = "labelSelector=" + kubeclient::PercentEncode(kAgentLabels);
    request.query += node.empty()
                         ? "&limit=500"
                         : "&fieldSelector=" + kubeclient::PercentEncode("spec.nodeName=" + node);
    if (!next.empty()) {
      request.query += "&continue=" + kubeclient::PercentEncode(next);
    }
    const auto body = Ask(
        request, node.empty() ? "looking for the agents" : "looking for the agent of node " + node,
        "list pods in namespace " + access_.namespace_name + kGivenBy);
    if (!body.ok()) {
      return body.status();
    }
    auto page = ParseAgentPods(*body);
    if (!page.ok()) {
      return page.status();
    }
    agents.insert(agents.end(), std::make_move_iterator(page->pods.begin()),
                  std::make_move_iterator(page->pods.end()));
    next = page->next;
  } while (!next.empty());
  return agents;
}

Result<AgentPod> AgentProxy::AgentOn(const std::string& node) {
  const auto pods = Agents(node);
  return pods.ok() ? RunningAgent(*pods, node, access_) : pods.status();
}

Result<std::string> AgentProxy::Token() {
  ApiRequest request;
  request.verb = kubeclient::kRequestToken;
  request.namespace_name = access_.namespace_name;
  request.name = access_.account;
  request.content_type = "application/json";
  request.body = api::FormatTokenRequest(kAudience, api::kShortestTokenLife);
  const std::string account =
      "service account " + access_.account + " in namespace " + access_.namespace_name;
  const auto body = Ask(request, "asking for a token of " + account,
                        "create serviceaccounts/token of " + account + kGivenBy);
  if (!body.ok()) {
    return body.status().code() == StatusCode::kNotFound
               ? NotFound("there is no " + account +
                          "; install a chart of this version, or name another with --account")
               : body.status();
  }
  return api::ParseTokenRequest(*body);
}

Result<std::string> AgentProxy::Page(const AgentPod& agent, const std::string& token,
                                     const PageRequest& page) {
  const int named = agent.port > 0 ? agent.port : kDefaultPort;
  const std::string port = std::to_string(access_.port > 0 ? access_.port : named);
  ApiRequest request;
  request.verb = kubeclient::kProxyPod;
  request.namespace_name = access_.namespace_name;
  request.name = "https:" + agent.name + ":" + port;
  request.subpath = page.path;
  request.query = page.query;
  request.max_reply_bytes = page.max_bytes;
  request.headers = {{kTokenHeader, token}};
  const std::string who = "agent " + agent.name + " on node " + agent.node;
  CallResult result = transport_.Call(request, clock_.SteadyNow() + page.timeout, nullptr);
  if (result.outcome != CallResult::Outcome::kReply) {
    return Unavailable("asking " + who + " failed: " + result.message);
  }
  if (result.reply.status == 200) {
    return std::move(result.reply.body);
  }
  return Refused(result.reply, who, port);
}

Status AgentProxy::Refused(const kubeclient::ApiReply& reply, const std::string& who,
                           const std::string& port) const {
  const auto refused = StatusMessage(reply.body);
  if (!refused) {
    return Unavailable(who + " says: " + Printable(Trim(reply.body), kShown));
  }
  if (reply.status == 401 || reply.status == 403) {
    return Status(CodeFor(reply.status),
                  "asking " + who + " was answered with HTTP " + std::to_string(reply.status) +
                      "; " +
                      Remedy(reply.status,
                             "get pods/proxy in namespace " + access_.namespace_name + kGivenBy));
  }
  return Unavailable(who + " can't be reached at port " + port + " (" + *refused +
                     "); the agent needs listen.authenticated, which older ones lack");
}

}  // namespace aliquot::cli
